import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, symlink, utimes } from 'node:fs/promises'
import { listTrash } from '@tideport/sdk'
import { isFullRun } from '@tideport/testing/full-run'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

/** Results of a run in the form of a dry run, which has neither IDs nor statuses. */
const plannedForm = (values: { path: string }[]) =>
  values.map((value) => ({ ...value, fileId: null, status: null })).toSorted(byPath)
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)

test.concurrent('sync makes a remote folder match a local one by bytes, and deletes nothing permanently', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, paths, client } = user
  await write({ 'site/a.html': 'one', 'site/b.html': 'two', 'site/css/c.css': 'three' })
  await write({ 'site/large.bin': randomBytes(17 * 1024 ** 2) })

  const plan = await tideport(['sync', 'site', 'default:www', '--dry-run', '--json'])
  expect(plan.values()).toMatchObject(['a.html', 'b.html', 'css/c.css', 'large.bin'].map((name) => ({ action: 'upload', path: at(`site/${name}`), to: `default:www/${name}` }))) // biome-ignore format: one claim
  expect(await paths()).toEqual([])

  const first = await tideport(['sync', 'site', 'default:www', '--json'])
  expect(first.code).toBe(0)
  expect(plannedForm(first.values())).toEqual(plan.values())
  expect(await paths()).toEqual(['www/a.html', 'www/b.html', 'www/css/c.css', 'www/large.bin'])
  // Other times, same bytes. Before the copy, only the client knows the hash of the large file.
  for (const name of ['a.html', 'large.bin']) await utimes(at(`site/${name}`), 1, 1)
  expect(await tideport(['sync', 'site', 'default:www'])).toMatchObject({ code: 0, stdout: '', stderr: '4 files already up to date\n' }) // biome-ignore format: one claim

  // Other bytes with the same size and time.
  await write({ 'site/a.html': 'ONE' })
  await utimes(at('site/a.html'), 1, 1)
  await rm(at('site/b.html'))
  await symlink('a.html', at('site/link'))
  execFileSync('mkfifo', [at('site/pipe')])
  const both = await tideport(['sync', 'site', 'default:www', '--dry-run', '--delete'])
  expect(both.stdout).toBe('replace   default:www/a.html\ndelete    default:www/b.html\n')
  expect(both.stderr).toContain(`Skipped 1 symbolic link, 1 pipe:\n  ${at('site/link')}\n  ${at('site/pipe')}\n`)
  const kept = await tideport(['sync', 'site', 'default:www', '--json'])
  expect(kept.values()).toMatchObject([{ action: 'skip', path: at('site/link'), reason: 'symbolic link' }, { action: 'skip', path: at('site/pipe'), reason: 'pipe' }, { action: 'replace', to: 'default:www/a.html' }]) // biome-ignore format: one claim
  for (const name of ['link', 'pipe']) await rm(at(`site/${name}`))
  // The dry run exits like the run.
  await write({ 'odd/a.txt': 'a', 'odd/b\nc.txt': 'b' })
  const odd = await tideport(['sync', 'odd', 'default:odd', '--dry-run'])
  expect(odd).toMatchObject({ code: 3, stdout: 'upload    default:odd/a.txt\n', stderr: expect.stringContaining('1 of 2 files failed') }) // biome-ignore format: one claim
  expect(await paths()).toContain('www/b.html')
  const removed = await tideport(['sync', 'site', 'default:www', '--delete', '--json'])
  expect(removed.values()).toMatchObject([{ action: 'delete', to: 'default:www/b.html' }])
  expect(await tideport(['cat', 'default:www/a.html'])).toMatchObject({ stdout: 'ONE' })
  const { files } = await listTrash(client).page()
  expect(files.map(({ path }) => path).toSorted()).toEqual(['www/a.html', 'www/b.html'])

  // A disk that is not mounted.
  await mkdir(at('empty'))
  expect(await tideport(['sync', 'empty', 'default:www', '--delete'])).toMatchObject({ code: 1, stderr: expect.stringContaining('The source is empty') }) // biome-ignore format: one claim
  expect(await tideport(['sync', 'missing', 'default:www', '--delete'])).toMatchObject({ code: 1 })
  expect(await paths()).toEqual(['www/a.html', 'www/css/c.css', 'www/large.bin'])
})

test.concurrent('sync makes a local folder match a remote one, and deletes only if everything else succeeded', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, read } = user
  await write({ 'from/a.txt': 'a', 'from/deep/b.txt': 'b' })
  await tideport(['sync', 'from', 'default:box'])
  const plan = await tideport(['sync', 'default:box', 'copy', '--dry-run', '--json'])
  const first = await tideport(['sync', 'default:box', 'copy', '--json'])
  expect(first).toMatchObject({ code: 0 })
  expect(first.values().toSorted(byPath)).toEqual(plan.values())
  expect(plan.values()).toMatchObject([{ action: 'download', from: 'default:box/a.txt', path: at('copy/a.txt'), sizeBytes: 1 }, { from: 'default:box/deep/b.txt' }]) // biome-ignore format: one claim
  expect((await readdir(at('copy'), { recursive: true })).toSorted()).toEqual(['a.txt', 'deep', 'deep/b.txt'])

  await write({ 'copy/old/gone.txt': 'x', 'copy/a.txt': 'changed' })
  // A file on one side is a folder on the other.
  await tideport(['upload', 'from/a.txt', '--to', 'default:box/deep/b.txt'])
  // The second time, all other files are up to date, and the result is still a partial failure.
  for (const _ of ['first', 'again']) {
    const failed = await tideport(['sync', 'default:box', 'copy', '--delete'])
    expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('deep/b.txt/a.txt') })
  }
  expect(await read('copy/a.txt')).toBe('a')
  expect(await read('copy/old/gone.txt')).toBe('x')

  await tideport(['rm', 'default:box/deep/b.txt/a.txt'])
  const done = await tideport(['sync', 'default:box', 'copy', '--delete', '--json'])
  expect(done.values()).toEqual([{ action: 'delete', path: at('copy/old/gone.txt') }])
  expect((await readdir(at('copy'), { recursive: true })).toSorted()).toEqual(['a.txt', 'deep', 'deep/b.txt'])
})

test.concurrent('a killed sync resumes, and uploads again what was deleted or moved meanwhile', async () => {
  await using user = await cliAccount()
  const { tideport, write, paths } = user
  const names = Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, '0')}.bin`)
  for (const name of names) await write({ [`in/${name}`]: randomBytes(1000) })
  const args = ['sync', 'in', 'default:', '--parallel', '2', '--json']
  // After 12 results, the first uploads are complete.
  const killed = await tideport(args, { killAfterLines: 12 })
  expect(killed.code).toBeNull()
  expect(await tideport(['rm', 'default:00.bin'])).toMatchObject({ code: 0 })
  expect(await tideport(['mv', 'default:01.bin', 'default:moved.bin'])).toMatchObject({ code: 0 })
  expect(await tideport(args)).toMatchObject({ code: 0 })
  expect(await paths()).toEqual([...names, 'moved.bin'])
})

test.runIf(isFullRun).concurrent('excluded files are neither transferred nor deleted in either direction', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, read, paths } = user
  await write({ 'in/a.txt': 'a', 'in/a.tmp': 'x', 'in/build/b.txt': 'b', 'in/deep/build/c.txt': 'c' })
  await write({ 'in/.tideportignore': '*.tmp\n/build/\n' })
  expect(await tideport(['sync', 'in', 'default:'])).toMatchObject({ code: 0 })
  expect(await paths()).toEqual(['a.txt', 'deep/build/c.txt'])
  await tideport(['upload', 'in/a.tmp', '--to', 'default:'])
  expect(await tideport(['sync', 'in', 'default:', '--delete', '--exclude', 'c.txt'])).toMatchObject({ code: 0, stdout: '' }) // biome-ignore format: one claim
  expect(await paths()).toEqual(['a.tmp', 'a.txt', 'deep/build/c.txt'])
  const down = await tideport(['sync', 'default:', 'in', '--delete', '--include', 'a.tmp', '--json'])
  expect(down.values()).toEqual([])
  expect(await read('in/build/b.txt')).toBe('b')
  expect(await tideport(['upload', 'in', '--to', 'default:up', '--exclude', 'deep/'])).toMatchObject({ code: 0 })
  expect((await paths()).filter((path) => path.startsWith('up/'))).toEqual(['up/in/a.txt'])
  expect(await tideport(['download', 'default:', '--to', 'out', '--include', '*.tmp'])).toMatchObject({ code: 0 })
  expect(await readdir(at('out'))).toEqual(['a.tmp'])
})

test
  .runIf(isFullRun)
  .concurrent('names that the service rejects survive a round trip if they are encoded', async () => {
    await using user = await cliAccount()
    const { tideport, at, write, read, paths } = user
    const names = ['back\\slash', 'bell\u0007', 'plain', '＼']
    for (const name of names) await write({ [`in/${name}`]: name })
    const refused = await tideport(['sync', 'in', 'default:plain'])
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('--encode-names') })
    expect(await paths()).toEqual(['plain/plain', 'plain/＼'])
    expect(await tideport(['sync', 'in', 'default:box', '--encode-names', '--bwlimit', '1M'])).toMatchObject({
      code: 0,
    })
    expect((await paths()).filter((path) => path.startsWith('box'))).toEqual(['box/back＼slash', 'box/bell␇', 'box/plain', 'box/‛＼'].toSorted()) // biome-ignore format: one claim
    expect(await tideport(['sync', 'in', 'default:box', '--encode-names'])).toMatchObject({ code: 0, stdout: '' })
    expect(await tideport(['sync', 'default:box', 'out', '--encode-names'])).toMatchObject({ code: 0 })
    expect((await readdir(at('out'))).toSorted()).toEqual(names.toSorted())
    expect(await tideport(['sync', 'default:box', 'out', '--encode-names', '--delete'])).toMatchObject({ code: 0, stdout: '' }) // biome-ignore format: one claim
    // Too long for the other side: in a folder for the service, and at the top of a vault for this disk.
    const long = '日'.repeat(255)
    await write({ [`in/${'\\'.repeat(100)}`]: 'local' })
    expect(await tideport(['upload', '-', '--to', 'default:', '--name', long], { stdin: 'service' })).toMatchObject({ code: 0 }) // biome-ignore format: one claim
    expect(await tideport(['download', `default:${long}`])).toMatchObject({ code: 1, stderr: expect.stringContaining('The name is too long for this disk. Use --encode-names, or download the file with --output') }) // biome-ignore format: one claim
    expect(await tideport(['download', `default:${long}`, '-o', 'to/short'])).toMatchObject({ code: 0, stdout: 'to/short\n' }) // biome-ignore format: one claim
    expect(await tideport(['download', 'default:box', '-o', 'to/short'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--output takes a single file') }) // biome-ignore format: one claim
    expect([await read('to/short'), await readdir(at('to'))]).toEqual(['service', ['short']])
    expect(await tideport(['sync', 'in', 'default:box', '--encode-names'])).toMatchObject({ code: 0 })
    const first = await tideport(['sync', 'default:', 'all', '--encode-names'])
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('0 files already up to date') })
    const before = await paths()
    for (const [from, to] of [
      ['default:', 'all'],
      ['all', 'default:'],
      ['in', 'default:box'],
    ] as const) {
      expect(await tideport(['sync', from, to, '--encode-names', '--delete'])).toMatchObject({ code: 0, stdout: '' })
    }
    expect(await paths()).toEqual(before)
  })
