import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from './support/docker.ts'

/** A docker whose containers are files: image, status, and volume. Refuses to run two of them on the same data. */
const fakeDocker = `#!/bin/sh
cd "$FAKE"
echo "$*" >>calls
if [ "$(wc -l <calls)" = "\${KILL_AT:-0}" ]; then
  kill -9 "$(cat main)"
  exit 1
fi
case "$*" in "\${FAIL:-none}"*) exit 1 ;; esac
for last; do :; done
case "$*" in
  'container inspect '*) [ -f "containers/$last" ] ;;
  *Mounts*) cut -d ' ' -f 3 "containers/$last" ;;
  *State*) cut -d ' ' -f 2 "containers/$last" | tr , ' ' ;;
  'create '*)
    volume=other
    case "$*" in *' tideport:/data '*) volume=tideport ;; esac
    echo "$last created, $volume" >"containers/$3"
    ;;
  'start --attach '*) exit "\${CHECK:-0}" ;;
  'start '*)
    if grep -h ' running,' containers/* | grep -v "^$(cut -d ' ' -f 1 "containers/$last") "; then echo >>twice; fi
    health=healthy
    ! grep -q "^\${BROKEN:-none} " "containers/$last" || health=unhealthy
    sed -i "s/ [a-z]*,[a-z]* / running,$health /" "containers/$last"
    ;;
  'stop '*) sed -i 's/ [a-z]*,[a-z]* / exited, /' "containers/$last" ;;
  'rm '*) rm "containers/$last" ;;
  'rename '*) mv "containers/$2" "containers/$3" ;;
esac
`

describe('upgrade-container.sh', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tideport-upgrade-'))
    writeFileSync(join(folder, 'docker'), fakeDocker)
    chmodSync(join(folder, 'docker'), 0o755)
    reset()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function reset() {
    rmSync(join(folder, 'containers'), { recursive: true, force: true })
    mkdirSync(join(folder, 'containers'))
    writeFileSync(join(folder, 'containers/harbor'), 'old running,healthy tideport\n')
    writeFileSync(join(folder, 'calls'), '')
  }
  const run = (own: Record<string, string> = {}, args = ['--without-backup'], volume = 'tideport:/data') => {
    const env = { PATH: `${folder}:${process.env.PATH}`, FAKE: folder, ...own }
    const all = [...args, 'harbor', '--publish', '8080:8080', '--volume', volume, 'new']
    const start = ['-c', 'echo $$ >"$FAKE/main"; exec sh "$0" "$@"', join(root, 'deploy/image/upgrade-container.sh')]
    const { status, signal, stdout, stderr } = spawnSync('sh', [...start, ...all], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    return { status, signal, printed: stdout + stderr }
  }
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  const containers = () =>
    Object.fromEntries(
      readdirSync(join(folder, 'containers')).map((name) => [
        name,
        readFileSync(join(folder, 'containers', name), 'utf8').trim(),
      ]),
    )
  const running = (image: string) => ({ harbor: `${image} running,healthy tideport` })

  it('replaces the container after a copy of the stopped data', () => {
    expect(run({}, ['--to', 'backups'])).toMatchObject({ status: 0 })
    expect(containers()).toEqual(running('new'))
    const order = [
      'create --name harbor-next',
      'stop ',
      'run --rm --user 0 --volumes-from harbor:ro',
      'rename harbor harbor-previous',
    ]
    const found = order.map((part) => calls().findIndex((call) => call.startsWith(part)))
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(found).not.toContain(-1)
  })

  it('starts the previous container again if the new one is unhealthy', () => {
    const { status, printed } = run({ BROKEN: 'new' })
    expect([status, containers()]).toEqual([1, running('old')])
    expect(printed).toContain('The installation runs as before')
  })

  it.each(['create', 'pull'])('stops nothing if docker %s fails', (FAIL) => {
    run({ FAIL, ...(FAIL === 'pull' && { BROKEN: 'new' }) })
    expect(containers()).toEqual(running('old'))
  })

  it('stops nothing if the new version does not accept the settings', () => {
    const { status, printed } = run({ CHECK: '1' })
    expect([status, containers()]).toEqual([1, running('old')])
    expect(printed).toContain('does not accept the settings')
    expect(calls().some((call) => call.startsWith('stop'))).toBe(false)
  })

  it('starts the previous container again if the data cannot be copied', () => {
    expect(run({ FAIL: 'run' }, ['--to', 'backups']).status).toBe(1)
    expect(containers()).toEqual(running('old'))
  })

  it('refuses options that give the new container other data', () => {
    const { status, printed } = run({}, ['--without-backup'], 'other:/data')
    expect([status, containers()]).toEqual([1, running('old')])
    expect(printed).toContain('Name the same volume')
    expect(calls().some((call) => call.startsWith('stop'))).toBe(false)
  })

  it.each([{}, { BROKEN: 'new' }])('can be killed at each step and repeated (%o)', (own) => {
    run(own)
    const steps = calls().length
    expect(steps).toBeGreaterThan(10)
    for (let step = 1; step <= steps; step += 1) {
      reset()
      expect(run({ ...own, KILL_AT: String(step) }).signal, `step ${step}`).toBe('SIGKILL')
      run(own)
      expect(containers(), `step ${step}`).toEqual(running('BROKEN' in own ? 'old' : 'new'))
    }
    expect(readdirSync(folder)).not.toContain('twice')
  })

  it('requires a decision about the backup', () => {
    expect(run({}, [])).toMatchObject({ status: 2, printed: expect.stringContaining('Usage') })
  })
})
