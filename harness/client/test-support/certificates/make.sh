#!/bin/sh
# Makes the certificates of the tests again, in this folder.
set -eu
cd "$(dirname "$0")"
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }
from=20000101000000Z until=21260101000000Z
hosts='DNS:localhost,DNS:chat.test,IP:127.0.0.1,IP:::1'
printf '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\nunique_subject=no\nrand_serial=yes\nx509_extensions=none\n[none]\n[p]\ncommonName=supplied\n' > ca.cnf
: > index.txt
# `openssl req -x509` can date nothing back, and a certificate must be valid on machines whose clock is behind.
self_signed() { # name, extension
  key "$1-key.pem"
  openssl req -new -key "$1-key.pem" -subj "/CN=$1" -out "$1.csr"
  printf '%s\n' "$2" > extensions.cnf
  openssl ca -batch -notext -selfsign -config ca.cnf -keyfile "$1-key.pem" -startdate "$from" -enddate "$until" \
    -extfile extensions.cnf -in "$1.csr" -out "$1.pem"
}
self_signed ca 'basicConstraints=critical,CA:TRUE'
sign() { # name, subject alternative names, until
  key "$1-key.pem"
  openssl req -new -key "$1-key.pem" -subj "/CN=$1" -out "$1.csr"
  printf 'subjectAltName=%s\n' "$2" > extensions.cnf
  openssl ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca-key.pem -startdate "$from" -enddate "$3" \
    -extfile extensions.cnf -in "$1.csr" -out "$1.pem"
}
sign server "$hosts" "$until"
sign other-host 'DNS:elsewhere.test' "$until"
sign expired "$hosts" 20010101000000Z
sign client 'DNS:client.test' "$until"
self_signed self-signed "subjectAltName=$hosts"
rm -f ./*.csr ./*.cnf index.txt* ca-key.pem [0-9A-F]*.pem
