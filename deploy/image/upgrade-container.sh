#!/bin/sh
# Upgrades an installation in one container: a new container with the same volume replaces the old one, which starts again
# if the new one does not become healthy (docs/operate/upgrade.md). Each step can be killed and repeated.
set -eu

if [ "${1-}" = --to ] && [ $# -ge 4 ]; then
  folder=$2
  shift 2
elif [ "${1-}" = --without-backup ] && [ $# -ge 3 ]; then
  folder=
  shift
else
  cat >&2 <<'END'
Usage: sh upgrade-container.sh --to FOLDER|--without-backup NAME OPTION… IMAGE

  --to FOLDER  copies all data to FOLDER while the installation is stopped
  NAME         the container
  OPTION…      all options of `docker run` for the new container, without --name and --detach
  UPGRADE_WAIT_SECONDS=600: how long the new container may take to become healthy
END
  exit 2
fi
name=$1
shift
for image; do :; done
next=$name-next previous=$name-previous
wait=${UPGRADE_WAIT_SECONDS:-600}

say() { printf 'upgrade: %s\n' "$*"; }
fail() {
  printf 'upgrade: %s\n' "$*" >&2
  exit 1
}
# Without standard input, which may be this script.
docker() { command docker "$@" </dev/null; }
exists() { docker container inspect "$1" >/dev/null 2>&1; }
drop_next() { ! exists "$next" || docker rm --force "$next" >/dev/null; }
data_of() { docker inspect --format '{{range .Mounts}}{{if eq .Destination "/data"}}{{.Source}}{{end}}{{end}}' "$1"; }
remove() {
  docker stop --time 120 "$1" >/dev/null
  docker rm --force "$1" >/dev/null
}

hint='The installation runs as before. Fix the cause, and run the same command again.'
finish() {
  code=$?
  [ $code = 0 ] || say "$hint"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The old container exists until the new one is healthy.
go_back() {
  hint="The previous version does not run. Run the same command again, or: docker start $name"
  say 'Starting the previous version'
  if exists "$previous"; then
    ! exists "$name" || remove "$name"
    docker rename "$previous" "$name"
  fi
  drop_next
  docker start "$name" >/dev/null
  hint='The installation runs as before. Fix the cause, and run the same command again.'
}

healthy() {
  left=$wait
  while [ "$left" -gt 0 ]; do
    case "$(docker inspect --format '{{.State.Status}} {{if .State.Health}}{{.State.Health.Status}}{{end}}' "$1")" in
      'running healthy') return 0 ;;
      'running starting') ;;
      *) return 1 ;;
    esac
    sleep 1
    left=$((left - 1))
  done
  return 1
}

if exists "$previous"; then
  say 'Undoing an interrupted upgrade'
  go_back
fi
exists "$name" || fail "No container has the name $name"
drop_next
docker start "$name" >/dev/null # An interrupted upgrade may have stopped it.

say 'Pulling the image'
docker pull --quiet "$image" || docker image inspect "$image" >/dev/null || fail "The image $image does not exist"
say 'Checking the settings with the new version'
docker create --name "$next" "$@" start --check >/dev/null
if [ "$(data_of "$next")" != "$(data_of "$name")" ]; then
  drop_next
  fail 'The options give the new container other data in /data. Name the same volume'
fi
# Without a network, because the previous version uses the published ports.
for network in $(docker inspect --format '{{range $network, $_ := .NetworkSettings.Networks}}{{$network}} {{end}}' "$next"); do
  [ "$network" = host ] || docker network disconnect "$network" "$next"
done
docker update --restart no "$next" >/dev/null
checked=0
docker start --attach "$next" || checked=$?
drop_next
[ $checked = 0 ] || fail 'The new version does not accept the settings'
docker create --name "$next" "$@" >/dev/null

say 'Stopping the previous version. After an interruption, run the same command again'
hint="The installation may be stopped. Run the same command again, or: docker start $name"
docker stop --time 120 "$name" >/dev/null
if [ -n "$folder" ]; then
  say "Copying all data to $folder"
  (umask 077 && mkdir -p "$folder")
  folder=$(cd "$folder" && pwd)
  file=tideport-$(date -u +%Y%m%dT%H%M%SZ).tar
  if ! docker run --rm --user 0 --volumes-from "$name:ro" --volume "$folder:/backup" --entrypoint sh "$image" -c \
    "umask 077 && tar -c -f /backup/$file.unfinished -C /data . && mv /backup/$file.unfinished /backup/$file"; then
    go_back
    fail 'The data could not be copied'
  fi
fi
docker rename "$name" "$previous"
docker rename "$next" "$name"
say 'Starting the new version, which migrates the data'
if docker start "$name" >/dev/null && healthy "$name"; then
  docker rm "$previous" >/dev/null
  say 'The new version runs'
  exit 0
fi
docker logs --tail 100 "$name" || true
say 'The new version did not become healthy. Its log is above'
go_back
healthy "$name" || hint="The previous version is not healthy. See: docker logs $name"
exit 1
