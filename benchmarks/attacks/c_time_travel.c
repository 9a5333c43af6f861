/* Changes clocks, priorities and processors, and sleeps by what nobody counts. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  struct timeval t = {0, 0};
  struct timespec s = {0, 0};
  struct timex x = {0};
  struct sched_param p = {0};
  settimeofday(&t, 0); clock_settime(CLOCK_REALTIME, &s); adjtimex(&x);
  sched_setscheduler(0, SCHED_IDLE, &p); setpriority(PRIO_PROCESS, 0, 19);
  cpu_set_t c; CPU_ZERO(&c); CPU_SET(0, &c); sched_setaffinity(0, sizeof c, &c);
  for (;;) sched_yield();
}
