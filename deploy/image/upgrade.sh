#!/bin/sh
# Upgrades an installation with Compose to the version of this checkout or of TIDEPORT_IMAGE, also after a change of
# settings. Run it in the folder of docker-compose.yml while the previous version runs: docs/operate/upgrade.md.
# A shell script, because the host may have only Docker: a container could replace containers only with the socket of
# Docker, which has the rights of root. Each step can be killed and repeated.
set -eu

usage() {
  cat <<'END'
Usage: sh deploy/image/upgrade.sh --without-backup | --to FOLDER|s3://BUCKET/PREFIX OPTION…
       sh deploy/image/upgrade.sh --back

  --to …            backs up first. All other options are those of `tideport backup`, such as --recipient age1…
  --without-backup  does not back up
  --back            starts the version that ran before the last upgrade
  UPGRADE_WAIT_SECONDS=600: how long the services may take to become healthy
END
}

say() { printf 'upgrade: %s\n' "$*"; }
fail() {
  printf 'upgrade: %s\n' "$*" >&2
  exit 1
}
# Without standard input, which may be this script.
compose() { docker compose "$@" </dev/null; }
job() { compose run --rm --no-deps -T "$@"; }

mode= folder=
case "${1-}" in
  --without-backup) mode=plain ;;
  --back) mode=back ;;
  --to)
    [ $# -ge 3 ] || { usage >&2; exit 2; }
    mode=backup folder=$2
    shift 2
    ;;
esac
if [ -z "$mode" ] || { [ $mode != backup ] && [ $# != 1 ]; }; then
  usage >&2
  exit 2
fi
wait=${UPGRADE_WAIT_SECONDS:-600}

config=$(compose config) || fail 'Compose cannot read its files. Nothing was changed'
project=$(printf '%s\n' "$config" | sed -n 's/^name: //p')
previous=tideport-previous:$project
umask 077
state=.tideport/upgrade-$project
mkdir -p "$state"

if ! (set -C && echo $$ >"$state/pid") 2>/dev/null; then
  other=$(cat "$state/pid")
  ! kill -0 "$other" 2>/dev/null || fail "Another upgrade is running (process $other)"
  echo $$ >"$state/pid"
fi
hint='Nothing was replaced: the installation runs as before. Fix the cause, and run the same command again.'
finish() {
  code=$?
  rm -f "$state/pid"
  [ $code = 0 ] || say "$hint"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The services of Tideport in these files.
services=$(compose config --services)
ours=
for one in serve gateway auth files sync eviction webhooks; do
  if printf '%s\n' "$services" | grep -qx "$one"; then ours="$ours $one"; fi
done
[ -n "$ours" ] || fail 'The Compose files contain no service of Tideport'

go_back() {
  docker image inspect "$previous" >/dev/null 2>&1 || fail "The image of the previous version ($previous) does not exist"
  hint="The previous version does not run. See \`docker compose logs\`, and run: sh deploy/image/upgrade.sh --back"
  say 'Starting the previous version'
  export TIDEPORT_IMAGE="$previous" TIDEPORT_PULL_POLICY=never
  # The files of that version, or else the present ones with its image
  if [ -f "$state/previous.yml" ]; then
    compose --file "$state/previous.yml" up --wait --no-build --remove-orphans
    cp "$state/previous.yml" "$state/running.yml"
  else
    compose up --wait --no-build --remove-orphans
  fi
  rm -f "$state/unfinished" "$state/backed-up"
  hint="The previous version runs, with all data. \`docker compose up\` would start the new one: check out the previous \
version, or set TIDEPORT_IMAGE=$previous in .env."
}

# Compose 2.40 can return 0 when the time is over. Docker ORs filters of the same name.
is_healthy() {
  [ -z "$(docker ps --quiet --filter "label=com.docker.compose.project=$project" --filter health=starting --filter health=unhealthy)" ]
}

if [ $mode = back ]; then
  go_back
  say "$hint"
  exit 0
fi

step=begun
[ ! -f "$state/unfinished" ] || step=$(cat "$state/unfinished")
# After an interruption at `replacing`, the containers may already be those of the new version.
if [ "$step" != replacing ]; then
  old=
  # `gateway` also finds an installation of earlier files, without `serve`.
  for one in $ours gateway; do
    container=$(docker ps --all --quiet --filter "label=com.docker.compose.project=$project" \
      --filter "label=com.docker.compose.service=$one" --filter label=com.docker.compose.oneoff=False | head -n 1)
    if [ -n "$container" ]; then
      old=$(docker inspect --format '{{.Image}}' "$container")
      break
    fi
  done
  [ -n "$old" ] || fail 'No version runs here. Start this one with: docker compose up --wait'
  docker tag "$old" "$previous"
  rm -f "$state/previous.yml"
  if [ -f "$state/running.yml" ]; then cp "$state/running.yml" "$state/previous.yml"; fi
fi
[ "$step" = begun ] || say "Continuing an interrupted upgrade ($step)"

image=$(printf '%s\n' "$config" | sed -n 's/^    image: \(tideport:latest\)$/\1/p' | head -n 1)
if [ -n "$image" ]; then
  say 'Building the image'
  compose build
else
  say 'Pulling the image'
  # shellcheck disable=SC2086
  compose pull --quiet $ours
fi

say 'Checking the settings with the new version'
job secrets # adds secrets that only the new version has
for one in $ours; do job "$one" "$one" --check; done
job set-up operator set-up database migrations bucket streams network --check-names --check

# An unfinished migration prevents another backup, so an interrupted upgrade of the last day keeps its backup.
made=
if [ "$step" != begun ] && [ -f "$state/backed-up" ]; then made=$(find "$state/backed-up" -mtime -1); fi
if [ $mode = backup ] && [ -z "$made" ]; then
  say "Backing up to $folder"
  place=$folder
  set -- operator backup --to "$place" "$@"
  case "$place" in
    *://*) ;;
    *)
      mkdir -p "$place"
      place=$(cd "$place" && pwd)
      shift 4
      set -- --volume "$place:/backup" operator backup --to /backup "$@"
      ;;
  esac
  # The previous version, because the schema is still its own
  TIDEPORT_IMAGE=$previous TIDEPORT_PULL_POLICY=never job "$@"
  : >"$state/backed-up"
fi

say 'Migrating, while the previous version runs'
[ "$step" = replacing ] || echo migrating >"$state/unfinished"
job set-up

say 'Replacing the containers. After an interruption, run the same command again, or go back with --back'
echo replacing >"$state/unfinished"
hint='Some containers may be stopped. Run the same command again, or go back: sh deploy/image/upgrade.sh --back'
if compose up --wait --wait-timeout "$wait" --no-build --remove-orphans && is_healthy; then
  # With the services of all profiles, because others can depend on them
  TIDEPORT_IMAGE=$previous TIDEPORT_PULL_POLICY=never compose --profile '*' config >"$state/running.new"
  mv "$state/running.new" "$state/running.yml"
  rm -f "$state/unfinished" "$state/backed-up"
  say "The new version runs. To go back: sh deploy/image/upgrade.sh --back"
  exit 0
fi
# shellcheck disable=SC2086
compose logs --no-color --tail 300 $ours >"$state/failed.log" 2>&1 || true
compose ps --all || true
say "The new version did not become healthy. Its log is in $state/failed.log"
go_back
exit 1
