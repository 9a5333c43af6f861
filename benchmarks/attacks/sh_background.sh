# Leaves processes in the background that hold its output open.
for n in 1 2 3; do
  (setsid sleep 3600 &)
  nohup sleep 3600 &
done
while :; do echo 1; done &
exit 0
