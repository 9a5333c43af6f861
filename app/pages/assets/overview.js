// Keeps the overview fresh: one stream of server-sent events, of which the parts that changed are put in place.
"use strict";

const KEPT_S = 600;
const said = document.getElementById("pulse-state");
const pause = document.getElementById("pulse-pause");
const series = document.getElementById("series");
const rows = JSON.parse(series.dataset.points).map((one) => [Date.parse(one.at) / 1000, one]);
const charts = [];
let stream = null;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function clock(seconds) {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}

function columns(names) {
  return [rows.map(([at]) => at), ...names.map((name) => rows.map(([, one]) => one[name]))];
}

function chart(id, lines) {
  const box = document.getElementById(id);
  const axis = { stroke: () => colour("--soft"), grid: { stroke: () => colour("--rule") }, ticks: { stroke: () => colour("--rule") } };
  const size = () => ({ width: Math.max(box.clientWidth, 200), height: 220 });
  const options = {
    ...size(),
    series: [{ label: "UTC", value: (_, at) => (at === null ? "–" : clock(at)) }, ...lines.map(([, label, paint, dash]) => ({ label, stroke: () => colour(paint), width: 2, dash, value: (_, one) => (one === null ? "–" : one.toFixed(1)) }))],
    axes: [{ ...axis, space: 80, values: (_, ticks) => ticks.map(clock) }, { ...axis, size: 60 }],
    scales: { y: { range: (_, low, high) => [0, Math.max(high || 0, 1) * 1.05] } },
    cursor: { y: false },
  };
  const names = lines.map(([name]) => name);
  const drawn = new uPlot(options, columns(names), box);
  charts.push({ drawn, names });
  new ResizeObserver(() => drawn.setSize(size())).observe(box);
}

function redraw() {
  for (const { drawn, names } of charts) drawn.setData(columns(names));
}

function tell(words, live) {
  if (said.textContent !== words) said.textContent = words;
  said.dataset.liveState = live ? "on" : "off";
}

function pulse(event) {
  const { html, point } = JSON.parse(event.data);
  put(html);
  if (point) rows.push([Date.parse(point.at) / 1000, point]);
  while (rows.length && rows[rows.length - 1][0] - rows[0][0] > KEPT_S) rows.shift();
  redraw();
  tell("Live.", true);
}

function listen() {
  stream = new EventSource("/ui/overview/events");
  stream.addEventListener("pulse", pulse);
  stream.addEventListener("error", () => {
    const ended = stream.readyState === EventSource.CLOSED;
    tell(ended ? "Not live: the stream was refused. Load the page again." : "Not live: the service does not answer. Trying again.", false);
  });
}

function stop() {
  if (stream) stream.close();
  stream = null;
}

pause.addEventListener("click", () => {
  const going = stream !== null;
  pause.textContent = going ? "Go on" : "Pause";
  if (going) {
    stop();
    tell("Paused.", false);
  } else {
    listen();
  }
});
addEventListener("pagehide", stop);
addEventListener("pageshow", (event) => { if (event.persisted && pause.textContent === "Pause") listen(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(({ drawn }) => drawn.redraw()));

series.hidden = false;
pause.hidden = false;
chart("rates", [["verdicts", "verdicts a second", "--c0"], ["answers", "answers a second", "--c1", [8, 4]]]);
chart("waits", [["waiting", "waiting samples", "--c0"]]);
listen();
