import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from './support/docker.ts'

/** A docker with one installation: `running` has the image of its containers, `image-NAME` the ID of each image. */
const fakeDocker = `#!/bin/sh
cd "$FAKE"
image() { cat "image-$(echo "$1" | tr ':/' '__')"; }
name=\${TIDEPORT_IMAGE:-tideport:latest}
echo "$name $*" >>calls
if [ "$(wc -l <calls)" = "\${KILL_AT:-0}" ]; then
  case "$*" in *' up '*) echo none >running ;; esac
  kill -9 "$(cat main)"
  exit 1
fi
case "$*" in "\${FAIL:-none}"*) exit 1 ;; esac
case "$*" in
  'compose config') printf 'name: harbor\\nservices:\\n  serve:\\n    image: %s\\n' "$name" ;;
  'compose config --services') printf 'postgres\\nserve\\nset-up\\n' ;;
  'ps --all --quiet '*'compose.service=serve '*) echo container ;;
  'ps --quiet '*'health=unhealthy'*) [ "$(cat running)" != "\${UNHEALTHY:-}" ] || echo container ;;
  inspect*) cat running ;;
  tag*) echo "$2" >"image-$(echo "$3" | tr ':/' '__')" ;;
  'image inspect'*) image "$3" ;;
  'compose build') echo new >image-tideport_latest ;;
  'compose --file '*' up '*) image tideport-previous:harbor >running ;;
  'compose up '*)
    image "$name" >running
    [ "$(cat running)" != "\${BROKEN:-}" ]
    ;;
esac
`

describe('upgrade.sh', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tideport-upgrade-'))
    writeFileSync(join(folder, 'docker'), fakeDocker)
    chmodSync(join(folder, 'docker'), 0o755)
    writeFileSync(join(folder, 'running'), 'old\n')
    writeFileSync(join(folder, 'image-tideport_latest'), 'old\n')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const run = (args: string[], own: Record<string, string> = {}) => {
    const env = { PATH: `${folder}:${process.env.PATH}`, FAKE: folder, ...own }
    const script = join(root, 'deploy/image/upgrade.sh')
    const { status, signal, stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'echo $$ >"$FAKE/main"; exec sh "$0" "$@"', script, ...args],
      {
        cwd: folder,
        env,
        encoding: 'utf8',
      },
    )
    return { status, signal, printed: stdout + stderr }
  }
  const state = (name: string) => join(folder, '.tideport/upgrade-harbor', name)
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim()
  const calls = () => read('calls').split('\n')

  it('checks, backs up with the previous image, migrates, and then replaces the containers', () => {
    expect(run(['--to', 's3://harbor/backups', '--recipient', 'age1x'])).toMatchObject({ status: 0 })
    const all = calls()
    const order = [
      'compose build',
      'serve serve --check',
      'tideport-previous:harbor compose run --rm --no-deps -T operator backup --to s3://harbor/backups --recipient age1x',
      'compose run --rm --no-deps -T set-up',
      'compose up --wait',
    ].map((part) => all.findLastIndex((call) => call.includes(part)))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order).not.toContain(-1)
    expect([read('running'), read('image-tideport-previous_harbor')]).toEqual(['new', 'old'])
    expect(run(['--back'])).toMatchObject({ status: 0, printed: expect.stringContaining('The previous version runs') })
    expect(read('running')).toBe('old')
  })

  it('mounts a folder for the backup, and creates it', () => {
    expect(run(['--to', 'my backups', '--unencrypted'])).toMatchObject({ status: 0 })
    expect(existsSync(join(folder, 'my backups'))).toBe(true)
    expect(read('calls')).toContain(`--volume ${folder}/my backups:/backup operator backup --to /backup --unencrypted`)
  })

  it('can be killed at each step and repeated, and keeps the image to go back to', () => {
    expect(run(['--without-backup']).status).toBe(0)
    const steps = calls().length
    expect(steps).toBeGreaterThan(10)
    for (let step = 1; step <= steps; step += 1) {
      for (const file of ['running', 'image-tideport_latest']) writeFileSync(join(folder, file), 'old\n')
      rmSync(join(folder, 'calls'))
      const killed = run(['--without-backup'], { KILL_AT: String(step) })
      expect(killed.signal, `step ${step}`).toBe('SIGKILL')
      if (read('running') !== 'old') expect(killed.printed).toContain('run the same command again')
      expect(run(['--without-backup']), `step ${step}`).toMatchObject({ status: 0 })
      expect([read('running'), read('image-tideport-previous_harbor')], `step ${step}`).toEqual(['new', 'old'])
      expect(existsSync(state('unfinished'))).toBe(false)
    }
  })

  it.each(['compose build', 'compose run --rm --no-deps -T serve', 'compose run --rm --no-deps -T set-up'])(
    'replaces nothing if "%s" fails',
    (FAIL) => {
      const { status, printed } = run(['--without-backup'], { FAIL })
      expect([status, read('running')]).toEqual([1, 'old'])
      expect(printed).toContain('Nothing was replaced')
    },
  )

  it('replaces nothing if the backup fails', () => {
    const { status } = run(['--to', 'backups', '--unencrypted'], { FAIL: 'compose run --rm --no-deps -T --volume' })
    expect([status, read('running')]).toEqual([1, 'old'])
  })

  it.each(['BROKEN', 'UNHEALTHY'])('starts the previous version with its own files if the new one is %s', (fault) => {
    expect(run(['--without-backup']).status).toBe(0)
    writeFileSync(join(folder, 'image-tideport_latest'), 'newer\n')
    const { status, printed } = run(['--without-backup'], { TIDEPORT_IMAGE: 'tideport_latest', [fault]: 'newer' })
    expect([status, read('running')]).toEqual([1, 'new'])
    expect(printed).toContain('The previous version runs, with all data')
    expect(calls().at(-1)).toContain('upgrade-harbor/previous.yml up --wait')
    expect(existsSync(state('failed.log'))).toBe(true)
  })

  it('refuses a second upgrade while one runs, and continues after one that was killed', () => {
    expect(run(['--without-backup']).status).toBe(0)
    writeFileSync(state('pid'), `${process.pid}\n`)
    expect(run(['--without-backup']).printed).toContain('Another upgrade is running')
    writeFileSync(state('pid'), '')
    expect(run(['--without-backup']).status).toBe(0)
  })

  it('requires a decision about the backup', () => {
    for (const args of [[], ['--to'], ['--to', 'folder'], ['--back', 'x']])
      expect(run(args), args.join(' ')).toMatchObject({ status: 2, printed: expect.stringContaining('Usage') })
    expect(existsSync(join(folder, 'calls'))).toBe(false)
  })
})
