#!/bin/sh
# Creates the role and the database that the public image creates from the same variables.
set -e
bin=$(dirname /usr/lib/postgresql/*/bin/initdb)
data=/var/lib/postgresql/data
mkdir -p $data /run/postgresql && chown postgres $data /run/postgresql
if [ ! -s $data/PG_VERSION ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password && chown postgres /tmp/password
  su postgres -c "$bin/initdb --auth=scram-sha-256 --pwfile=/tmp/password --username=$POSTGRES_USER $data"
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
  echo "CREATE DATABASE $POSTGRES_DB" | su postgres -c "$bin/postgres --single -D $data postgres"
fi
exec su postgres -c "exec $bin/postgres -D $data -c 'listen_addresses=*'"
