import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { listJobs, waitForJob } from '@tideport/sdk'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

const MIB = 1024 ** 2
const isPart = (name: string) => name.includes('.part')

test.concurrent('the next run resumes or deletes what a killed download left', async () => {
  await using user = await cliAccount()
  const { tideport, at, write } = user
  const names = Array.from({ length: 40 }, (_, index) => `in/${String(index).padStart(2, '0')}`)
  await write(Object.fromEntries(names.map((name) => [name, randomBytes(300_000)])))
  await write({ 'in/large': randomBytes(40 * MIB) })
  expect(await tideport(['sync', 'in', 'default:in'])).toMatchObject({ code: 0 })
  const parts = async () => (await readdir(at('copy')).catch(() => [])).filter(isPart)
  // Repeats until a kill leaves a part of a small file, which has the process ID in its name.
  while (!(await parts()).some((name) => /\.\d+\./.test(name))) {
    const { code } = await tideport(['sync', 'default:in', 'copy'], { killAfterLines: 1 })
    if (code === 0) await rm(at('copy'), { recursive: true })
  }
  // A part that no file needs, and one that a running process writes.
  const orphan = `.tideport-${crypto.randomUUID()}.part`
  await writeFile(at(`copy/${orphan}`), 'x')
  await writeFile(at(`copy/${orphan}.lock.4194999.${crypto.randomUUID()}`), '')
  const own = `.tideport-${crypto.randomUUID()}.${process.pid}.00000000.part`
  await writeFile(at(`copy/${own}`), 'x')
  expect(await tideport(['sync', 'default:in', 'copy', '--delete'])).toMatchObject({ code: 0 })
  expect(await parts()).toEqual([own])
  for (const name of [...names, 'in/large']) {
    expect(await readFile(at(`copy/${name.slice(3)}`))).toEqual(await readFile(at(name)))
  }
})

test.concurrent('empty folders that block a download are replaced, and other blockers only with --delete', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, read } = user
  await write({ 'in/a': 'a', 'in/b': 'b', 'in/c/d': 'd' })
  await tideport(['sync', 'in', 'default:in'])
  await mkdir(at('copy/a/nothing'), { recursive: true })
  await write({ 'copy/b/mine': 'mine', 'copy/c': 'mine too' })
  const partly = await tideport(['sync', 'default:in', 'copy'])
  expect(partly).toMatchObject({ code: 3, stderr: expect.stringContaining('copy/b/mine blocks this path') })
  expect(partly.stderr).toContain('copy/c blocks this path')
  expect(await read('copy/a')).toBe('a')
  expect(await read('copy/b/mine')).toBe('mine')
  expect(await tideport(['sync', 'default:in', 'copy', '--delete'])).toMatchObject({ code: 0 })
  expect((await readdir(at('copy'), { recursive: true })).toSorted()).toEqual(['a', 'b', 'c', 'c/d'])
  expect(await read('copy/b')).toBe('b')
})

test.concurrent('names in other Unicode forms are the same names on both sides', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, read, paths } = user
  // A Mac disk stores the names in NFD, the service in NFC.
  await write({ 'in/cafe\u0301/u\u0308.txt': 'one' })
  await tideport(['sync', 'in', 'default:in'])
  expect(await paths()).toEqual(['in/caf\u00e9/\u00fc.txt'])
  expect(await tideport(['sync', 'in', 'default:in'])).toMatchObject({ code: 0, stdout: '' })
  await write({ 'new.txt': 'new', 'two.txt': 'two' })
  await tideport(['upload', 'new.txt', '--to', 'default:in/caf\u00e9'])
  await tideport(['mv', 'default:in/caf\u00e9/\u00fc.txt', 'default:old.txt'])
  await tideport(['upload', 'two.txt', '--to', 'default:in/caf\u00e9'])
  await tideport(['mv', 'default:in/caf\u00e9/two.txt', 'default:in/caf\u00e9/\u00fc.txt'])
  expect(await tideport(['sync', 'default:in', 'in'])).toMatchObject({ code: 0 })
  expect(await readdir(at('in'))).toEqual(['cafe\u0301'])
  expect((await readdir(at('in/cafe\u0301'))).toSorted()).toEqual(['new.txt', 'u\u0308.txt'])
  expect(await read('in/cafe\u0301/u\u0308.txt')).toBe('two')
  expect(await tideport(['sync', 'default:in', 'in'])).toMatchObject({ code: 0, stdout: '' })
})

test
  .skipIf(process.platform !== 'linux')
  .concurrent('a name that is not UTF-8 is reported, and the other files are uploaded', async () => {
    // biome-ignore format: one line
    await using user = await cliAccount()
    const { tideport, folder, write, paths } = user
    await write({ 'in/a': 'a' })
    await writeFile(Buffer.concat([Buffer.from(`${folder}/in/`), Buffer.from([0x62, 0xff])]), 'b')
    const partly = await tideport(['sync', 'in', 'default:in'])
    expect(partly).toMatchObject({ code: 3, stderr: expect.stringContaining('not UTF-8') })
    expect(await paths()).toEqual(['in/a'])
  })

test.concurrent('an unwritable state folder is reported, and only commands that need it fail', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, read } = user
  await write({ 'in/a': 'a', state: '' })
  const environment = { XDG_STATE_HOME: at('state') }
  const told = { stderr: expect.stringContaining('XDG_STATE_HOME') }
  expect(await tideport(['upload', 'in'], { environment })).toMatchObject({ code: 0, ...told })
  expect(await tideport(['sync', 'in', 'default:in'], { environment })).toMatchObject({ code: 0 })
  expect(await tideport(['sync', 'default:in', 'copy'], { environment })).toMatchObject({ code: 0 })
  expect(await read('copy/a')).toBe('a')
  expect(await tideport(['webhooks', 'listen', crypto.randomUUID()], { environment })).toMatchObject({ code: 1, ...told }) // biome-ignore format: one claim
})

test.concurrent('a rejected export leaves no folder, and an export to an unwritable folder starts no job', async () => {
  await using user = await cliAccount()
  const { tideport, folder, write, client } = user
  const environment = { TIDEPORT_API_KEY: 'tdp_wrong' }
  expect(await tideport(['export', 'deep/out'], { environment })).toMatchObject({ code: 4 })
  expect(await readdir(folder)).toEqual([])
  await write({ file: '' })
  expect(await tideport(['export', 'file/out'])).toMatchObject({ code: 1 })
  expect((await listJobs(client).page()).jobs).toEqual([])
})

test.concurrent('usage by day follows the local clock, even if the service has another date', async () => {
  await using user = await cliAccount()
  for (const hours of [-24, 24]) {
    const moved = `const now = Date.now; Date.now = () => now() + ${hours} * 3_600_000`
    const environment = { NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(moved)}"` }
    for (const days of ['1', '366']) {
      expect(await user.tideport(['usage', '--days', days], { environment })).toMatchObject({ code: 0 })
    }
  }
})

test.concurrent('a job continues after its terminal is closed, and its ID is printed', async () => {
  await using user = await cliAccount()
  const { tideport, write, client } = user
  const names = Array.from({ length: 150 }, (_, index) => `many/${index}`)
  await write(Object.fromEntries(names.map((name) => [name, name])))
  expect(await tideport(['upload', 'many'])).toMatchObject({ code: 0 })
  const stopped = new AbortController()
  const running = tideport(['cp', 'default:many/', 'default:copies/'], { stop: stopped.signal, signal: 'SIGHUP' })
  const job = await waitFor(async () => (await listJobs(client, { limit: 1 }).page()).jobs[0], { what: 'a job' })
  stopped.abort()
  const ended = await running
  if (ended.code !== 0) expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`jobs cancel ${job.id}`) }) // biome-ignore format: one claim
  expect(await waitForJob(client, job.id)).toMatchObject({ state: 'done', done: 150 })
})
