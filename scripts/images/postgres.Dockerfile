# Stands in for the public PostgreSQL image in tests: same variables, data directory, port and first user.
FROM trueward-test/debian-postgres
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
COPY postgres_entrypoint.sh /usr/local/bin/
RUN install -d -o postgres -g postgres -m 0700 "$PGDATA"
VOLUME /var/lib/postgresql/data
EXPOSE 5432
STOPSIGNAL SIGINT
ENTRYPOINT ["/usr/local/bin/postgres_entrypoint.sh"]
CMD ["postgres"]
