/* A load generator that costs less than what it measures.
 *
 *   load PORT CONNECTIONS SECONDS RATE DRAIN_S REQUESTS SHOTS BODIES
 *
 * REQUESTS holds whole HTTP/1.1 requests, rendered beforehand: u32 tag, u32 length, the bytes; native order.
 * Each is sent once, over keep-alive connections to 127.0.0.1, without pipelining.
 * RATE 0 is a closed loop: each connection sends its next request when it has its answer.
 * RATE r is an open loop: request i is due at i/r seconds and is sent as soon as a connection is free;
 * latency counts from when it was due, so a slow server cannot slow the clock that judges it.
 * After SECONDS nothing is sent any more, and answers are awaited for DRAIN_S.
 *
 * SHOTS gets one struct shot a request; status 0 means no answer, retry_after_s -1 that it names no time. BODIES gets, for each answer, u32 request,
 * u32 length, the body. The last line on stdout is JSON: the generator's own cost.
 *
 * Not covered: TLS, chunked answers (they end the program), hosts other than this one. Linux only.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct request { const char *bytes; uint32_t length, tag; };
struct shot { uint32_t request; uint16_t tag, status; int64_t due_ns, sent_ns, done_ns, retry_after_s; }; /* from the start */
struct connection { int fd, busy, next_free; size_t sent, used, room; char *answer; struct shot shot; };

static struct request *requests;
static struct connection *connections;
static uint32_t request_count, next_request;
static int connection_count, epoll_fd, port, in_flight;
static int first_free = -1, last_free = -1; /* a queue, so that no connection idles long enough to be closed */
static int64_t start_ns, end_ns, drain_ns;
static double rate;
static FILE *shots, *bodies;

static void die(const char *what) { perror(what); exit(1); }

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void read_requests(const char *path) {
    int fd = open(path, O_RDONLY);
    struct stat size;
    if (fd < 0 || fstat(fd, &size)) die(path);
    if (size.st_size == 0) { fprintf(stderr, "%s holds no request\n", path); exit(1); }
    const char *map = mmap(NULL, size.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (map == MAP_FAILED) die("mmap");
    for (const char *at = map; at < map + size.st_size; request_count++) {
        if (request_count % 4096 == 0) {
            requests = realloc(requests, (request_count + 4096) * sizeof *requests);
            if (!requests) die("realloc");
        }
        struct request *r = &requests[request_count];
        memcpy(&r->tag, at, 4);
        memcpy(&r->length, at + 4, 4);
        r->bytes = at + 8;
        at += 8 + r->length;
    }
}

static void dial(struct connection *c) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to)) die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event)) die("epoll_ctl");
}

static void release(struct connection *c) {
    int i = c - connections;
    c->busy = 0;
    c->next_free = -1;
    if (last_free >= 0) connections[last_free].next_free = i; else first_free = i;
    last_free = i;
}

static void finish(struct connection *c, int status, const char *body, uint32_t length) {
    c->shot.done_ns = now_ns() - start_ns;
    c->shot.status = status;
    fwrite(&c->shot, sizeof c->shot, 1, shots);
    if (status) {
        fwrite(&c->shot.request, 4, 1, bodies);
        fwrite(&length, 4, 1, bodies);
        fwrite(body, 1, length, bodies);
    }
    in_flight--;
    release(c);
}

static void push(struct connection *c) { /* sends what is left of the request */
    struct request *r = &requests[c->shot.request];
    while (c->busy && c->sent < r->length) {
        ssize_t n = send(c->fd, r->bytes + c->sent, r->length - c->sent, MSG_NOSIGNAL);
        if (n < 0) return; /* EAGAIN waits for EPOLLOUT; a dead connection is seen by pull() */
        c->sent += n;
    }
}

static void fire(int64_t due_ns) {
    struct connection *c = &connections[first_free];
    first_free = c->next_free;
    if (first_free < 0) last_free = -1;
    uint32_t i = next_request++;
    c->shot = (struct shot){.request = i, .tag = requests[i].tag, .due_ns = due_ns, .sent_ns = now_ns() - start_ns};
    if (rate == 0) c->shot.due_ns = c->shot.sent_ns;
    c->busy = 1;
    c->sent = c->used = 0;
    in_flight++;
    push(c);
}

static void lose(struct connection *c) { /* the server closed it: the request that was on it has no answer */
    close(c->fd);
    dial(c);
    if (c->busy) finish(c, 0, NULL, 0);
}

static int complete(struct connection *c) { /* true when the answer is whole, which is then recorded */
    char *head_end = memmem(c->answer, c->used, "\r\n\r\n", 4);
    if (!head_end) return 0;
    *head_end = 0;
    char *length = strcasestr(c->answer, "\r\ncontent-length:");
    if (!length) { fprintf(stderr, "an answer without Content-Length:\n%s\n", c->answer); exit(1); }
    size_t body = strtoul(length + 17, NULL, 10), head = head_end + 4 - c->answer;
    *head_end = '\r';
    if (c->used < head + body) return 0;
    *head_end = 0;
    char *wait = strcasestr(c->answer, "\r\nretry-after:");
    c->shot.retry_after_s = wait ? strtol(wait + 14, NULL, 10) : -1;
    *head_end = '\r';
    finish(c, atoi(c->answer + 9), c->answer + head, body);
    return 1;
}

static void pull(struct connection *c) {
    for (;;) {
        if (c->room - c->used < 4096) {
            c->room = c->room ? 2 * c->room : 8192;
            c->answer = realloc(c->answer, c->room);
            if (!c->answer) die("realloc");
        }
        ssize_t n = recv(c->fd, c->answer + c->used, c->room - c->used - 1, 0);
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) { lose(c); return; }
        c->used += n;
        c->answer[c->used] = 0;
        if (c->busy && complete(c)) c->used = 0;
    }
}

static int64_t due(void) { return rate ? (int64_t)(next_request / rate * 1e9) : 0; }

static int more(int64_t t) { /* an open loop still sends what came due before the end and found no connection */
    return next_request < request_count && (rate ? due() : t) < end_ns;
}

static void run(void) {
    struct epoll_event events[256];
    for (;;) {
        int64_t t = now_ns() - start_ns;
        while (more(t) && first_free >= 0 && due() <= t) fire(due());
        if ((!more(t) && !in_flight) || t > end_ns + drain_ns) return;
        int64_t wait = end_ns + drain_ns - t;
        if (more(t) && first_free >= 0 && due() - t < wait) wait = due() > t ? due() - t : 0;
        struct timespec timeout = {wait / 1000000000LL, wait % 1000000000LL};
        int n = epoll_pwait2(epoll_fd, events, 256, &timeout, NULL);
        if (n < 0 && errno != EINTR) die("epoll_pwait2");
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            if (events[i].events & EPOLLOUT) push(c);
            if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) pull(c);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 9) { fprintf(stderr, "load PORT CONNECTIONS SECONDS RATE DRAIN_S REQUESTS SHOTS BODIES\n"); return 2; }
    port = atoi(argv[1]);
    connection_count = atoi(argv[2]);
    end_ns = (int64_t)(atof(argv[3]) * 1e9);
    rate = atof(argv[4]);
    drain_ns = (int64_t)(atof(argv[5]) * 1e9);
    read_requests(argv[6]);
    if (!(shots = fopen(argv[7], "wb"))) die(argv[7]);
    if (!(bodies = fopen(argv[8], "wb"))) die(argv[8]);
    if ((epoll_fd = epoll_create1(EPOLL_CLOEXEC)) < 0) die("epoll_create1");
    if (!(connections = calloc(connection_count, sizeof *connections))) die("calloc");
    for (int i = 0; i < connection_count; i++) {
        dial(&connections[i]);
        release(&connections[i]);
    }
    start_ns = now_ns();
    run();
    int64_t wall_ns = now_ns() - start_ns;
    for (int i = 0; i < connection_count; i++)
        if (connections[i].busy) finish(&connections[i], 0, NULL, 0);
    if (fclose(shots) || fclose(bodies)) die("fclose");
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double cpu_s = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("{\"cpu_s\": %.6f, \"wall_s\": %.6f, \"sent\": %u, \"offered\": %u}\n", cpu_s, wall_ns / 1e9, next_request, request_count);
    return 0;
}
