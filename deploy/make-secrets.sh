#!/bin/sh
# Makes what compose.yaml and the Kubernetes manifests hand out as secrets, one file each, where there is
# none yet: `deploy/make-secrets.sh FOLDER` (compose.yaml wants deploy/secrets). The folder is for its owner
# alone; the files in it are readable, as containers read them as users of their own.
set -eu
folder=${1:?say which folder, as in: deploy/make-secrets.sh deploy/secrets}
database_host=${DATABASE_HOST:-database}
mkdir -p "$folder"
chmod 700 "$folder"

random() {
  od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'
}

# A file that is there stays as it is. No line break ends it: Prometheus sends the token as it is in the file.
secret() {
  [ -e "$folder/$1" ] && return
  printf '%s' "$2" > "$folder/$1.new"
  chmod 444 "$folder/$1.new"
  mv "$folder/$1.new" "$folder/$1"
  echo "made $folder/$1"
}

secret secret-key "$(random 32)"
secret database-password "$(random 24)"
secret database-url "postgres://parley:$(cat "$folder/database-password")@$database_host:5432/parley"
secret s3-access-key-id "parley-$(random 6)"
secret s3-secret-access-key "$(random 32)"
secret livekit-api-key "API$(random 6)"
secret livekit-api-secret "$(random 32)"
# For Prometheus.
secret metrics-token "$(random 32)"
# Of a language model outside: put its key in here.
secret llm-api-key none
