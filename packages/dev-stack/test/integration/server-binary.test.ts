import { readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { findOnPath } from '../../src/binaries/find-on-path.ts'
import { serverBinary } from '../../src/binaries/server-binary.ts'
import { answerWith, makeRelease, type ReleaseServer, serveReleases, writeProgram } from '../release-server.ts'

/** A PATH with the programs for unpacking, but without servers and programs that build one. */
async function setUp(releases?: ReleaseServer) {
  const dir = await createTemporaryDirectory('dev-stack')
  const bin = join(dir.path, 'path')
  await writeProgram(join(bin, 'true'), 'exit 0')
  for (const name of ['tar', 'gzip', 'sh']) {
    const [program] = await findOnPath(name, process.env)
    await symlink(program as string, join(bin, name))
  }
  const lines: string[] = []
  const env = {
    PATH: bin,
    TIDEPORT_CACHE_DIR: join(dir.path, 'cache'),
    TIDEPORT_RELEASES_URL: releases?.url ?? 'http://127.0.0.1:1',
  }
  const out = (line: string) => void lines.push(line)
  return { dir: dir.path, bin, env, out, lines, [Symbol.asyncDispose]: dir[Symbol.asyncDispose] }
}

test.each(['nats-server', 'versitygw'] as const)('obtains %s from the release archive and caches it', async (name) => {
  await using work = await createTemporaryDirectory('dev-stack')
  const release = await makeRelease(name, work.path)
  await using releases = await serveReleases(answerWith(release.files))
  await using setup = await setUp(releases)

  const path = await serverBinary(name, setup)
  expect(path).toMatch(join(setup.env.TIDEPORT_CACHE_DIR, 'bin', name))
  expect(await serverBinary(name, setup)).toBe(path)
  expect(releases.requests.map((url) => url.split('/').at(-1))).toEqual([release.checksumsName, release.archiveName])
})

test('names the setting for another cache directory if the default one cannot be created', async () => {
  await using setup = await setUp()
  const env = { ...setup.env, TIDEPORT_CACHE_DIR: join(setup.bin, 'true', 'cache') }
  await expect(serverBinary('nats-server', { ...setup, env })).rejects.toThrow(
    /cannot be created. Set TIDEPORT_CACHE_DIR/,
  )
})

test('reports the progress of a slow download', async () => {
  await using work = await createTemporaryDirectory('dev-stack')
  const release = await makeRelease('nats-server', work.path)
  const archive = release.files[release.archiveName] as Buffer
  let finish = () => {}
  await using releases = await serveReleases((request, response) => {
    if (!request.url?.endsWith(release.archiveName)) return answerWith(release.files)(request, response)
    response.writeHead(200, { 'content-length': archive.length })
    response.write(archive.subarray(0, 1))
    finish = () => response.end(archive.subarray(1))
  })
  await using setup = await setUp(releases)
  const out = (line: string) => {
    setup.out(line)
    if (line === 'nats-server: downloaded 0.0 of 0.0 MiB') finish()
  }

  await serverBinary('nats-server', { ...setup, out })
  expect(setup.lines).toContain('nats-server: downloaded 0.0 of 0.0 MiB')
})

test('rejects an archive that does not match the checksum file', async () => {
  await using work = await createTemporaryDirectory('dev-stack')
  const { files, archiveName } = await makeRelease('versitygw', work.path)
  await using releases = await serveReleases(answerWith({ ...files, [archiveName]: Buffer.from('something else') }))
  await using setup = await setUp(releases)

  await expect(serverBinary('versitygw', setup)).rejects.toThrow('Install versitygw on PATH')
  expect(setup.lines.join('\n')).toContain('but the release lists')
  expect(await readdir(join(setup.env.TIDEPORT_CACHE_DIR, 'bin'))).toEqual([])
})

test.each([
  ['returns 404', answerWith({}), 'the server returned 404'],
  ['never responds', () => {}, 'received nothing for 5 s'],
  [
    'stops in the middle',
    (_: unknown, response: { write(text: string): void }) => response.write('abc'),
    'received nothing for 5 s',
  ],
] as const)('skips a release server that %s, and reports how to install the program', async (_, answer, reason) => {
  await using releases = await serveReleases(answer)
  await using setup = await setUp(releases)

  await expect(serverBinary('nats-server', setup)).rejects.toThrow(
    'Install nats-server 2.10 or newer on PATH (or name it in NATS_SERVER_BIN), or install Go',
  )
  expect(setup.lines).toEqual([
    expect.stringContaining(`could not use the release archive: ${releases.url}`),
    expect.stringContaining('could not use a build with Go: go is not installed'),
    expect.stringContaining('could not use the Python package: python3 is not installed'),
  ])
  expect(setup.lines[0]).toContain(reason)
})

test('uses a server on PATH if it is new enough; otherwise reports and skips it', async () => {
  await using setup = await setUp()
  const old = join(setup.bin, 'nats-server')
  await writeProgram(old, 'echo "nats-server: v2.9.10"')
  await expect(serverBinary('nats-server', setup)).rejects.toThrow('could not be obtained automatically')
  expect(setup.lines[0]).toBe(`nats-server: ${old} is version v2.9.10, but 2.10 or newer is required`)

  await writeProgram(old, 'echo "nats-server: v2.10.0"')
  expect(await serverBinary('nats-server', setup)).toBe(old)
})

test('the explicit setting overrides PATH, and an unusable one is an error instead of being skipped', async () => {
  await using setup = await setUp()
  await writeProgram(join(setup.bin, 'nats-server'), 'echo "nats-server: v2.14.3"')
  const own = join(setup.dir, 'own/nats-server')
  await writeProgram(own, 'echo "nats-server: v2.12.0"')

  const env = { ...setup.env, NATS_SERVER_BIN: own }
  expect(await serverBinary('nats-server', { env })).toBe(own)
  await expect(serverBinary('nats-server', { env: { ...env, NATS_SERVER_BIN: dirname(own) } })).rejects.toThrow(
    /^NATS_SERVER_BIN names .* which does not run/,
  )
})

test('concurrent calls share one download and one complete binary', async () => {
  await using work = await createTemporaryDirectory('dev-stack')
  const release = await makeRelease('nats-server', work.path)
  await using releases = await serveReleases(answerWith(release.files))
  await using setup = await setUp(releases)

  const paths = await Promise.all(Array.from({ length: 8 }, () => serverBinary('nats-server', setup)))
  expect(new Set(paths).size).toBe(1)
  expect(releases.requests).toHaveLength(2)
  expect(await readdir(dirname(paths[0] as string))).toHaveLength(1)
})

test('builds from the pinned modules if no release is available, with the installed Go only', async () => {
  await using setup = await setUp()
  const record = join(setup.dir, 'record')
  // A real Go build is too slow for a test. This program records its calls and creates a program that runs.
  await writeProgram(
    join(setup.bin, 'go'),
    `echo "$GOTOOLCHAIN $CGO_ENABLED $GOFLAGS $PWD $*" >> ${record}
     while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
     if [ -n "$out" ]; then printf '#!/bin/sh\\necho 1.8.0\\n' > "$out"; fi`,
  )
  const path = await serverBinary('versitygw', setup)
  const calls = (await readFile(record, 'utf8')).trim().split('\n')
  expect(calls).toHaveLength(3)
  for (const call of calls) expect(call).toMatch(/^local 0 -mod=readonly .*\/tools\/versitygw /)
  expect(calls[2]).toContain('github.com/versity/versitygw/cmd/versitygw')
  expect(setup.lines.at(-1)).toBe(`versitygw: obtained from a build with Go, stored in ${path}`)
})
