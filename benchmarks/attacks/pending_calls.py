"""Lets exceptions arise asynchronously in the main thread, again and again."""
import ctypes
import threading
import time

main = threading.main_thread().ident


def go():
    while True:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(SystemExit))
        time.sleep(0.001)


def answer(a, b):
    threading.Thread(target=go, daemon=True).start()
    time.sleep(0.1)
    return 0


threading.Thread(target=go, daemon=True).start()
time.sleep(0.2)
