/* Blocks every signal, sends each to everybody, and answers from the handler of its own death. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>
static void die(int n) { write(1, "15\n", 3); _exit(0); }
int main(void) {
  for (int i = 1; i < 65; i++) signal(i, die);
  for (int i = 1; i < 65; i++) { kill(getppid(), i); kill(1, i); }
  volatile int *p = 0;
  *p = 1;
  return 0;
}
