# Stands in for the public Python image in tests: pip finds every dependency here and asks no index.
FROM trueward-test/debian-python
COPY wheels /wheels
RUN printf '[global]\nno-index = true\nfind-links = /wheels\n' > /etc/pip.conf
