"""Dates and zones at the ends of what they can be, made by classes of its own."""
import datetime


class Z(datetime.tzinfo):
    def utcoffset(self, dt):
        return datetime.timedelta(hours=23, minutes=59)

    dst = utcoffset

    def tzname(self, dt):
        return 15


def answer(a, b):
    return [
        datetime.datetime.max.replace(tzinfo=Z()),
        datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=23))),
        datetime.timedelta.max,
    ][a % 3]
