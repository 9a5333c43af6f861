"""Two processes answer one call, and a thread writes beside them."""
import os, threading
def answer(a, b):
    for _ in range(4): os.fork()
    threading.Thread(target=lambda: [os.write(fd, b"\0\0\0\2{}") for fd in range(1, 9) if not os.system("")]).start()
    return a * b
for _ in range(3): os.fork()
print(3)
