import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles, listJobs, listVaults, waitForJob } from '@tideport/sdk'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

type User = Awaited<ReturnType<typeof cliAccount>>
const MIB = 1024 ** 2

async function pathsOf({ client }: User): Promise<string[]> {
  const { vaults } = await listVaults(client).page()
  const paths: string[] = []
  for await (const { path } of listFiles(client, { vaultId: vaults[0]?.id, sortBy: 'path' })) paths.push(path)
  return paths
}

/** Files of a folder of this machine, by their paths. */
async function write({ folder }: User, files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

const isPart = (name: string) => name.includes('.part')

test.concurrent('what a killed download left is gone on with or removed by the next run', async () => {
  await using user = await cliAccount()
  const { tideport, folder } = user
  const names = Array.from({ length: 40 }, (_, index) => `in/${String(index).padStart(2, '0')}`)
  await write(user, Object.fromEntries(names.map((name) => [name, randomBytes(300_000)])))
  await write(user, { 'in/large': randomBytes(40 * MIB) })
  expect(await tideport(['sync', 'in', 'default:in'])).toMatchObject({ code: 0 })
  const parts = async () => (await readdir(join(folder, 'copy')).catch(() => [])).filter(isPart)
  // Until a kill has left something of a small file: those have the process in their names.
  while (!(await parts()).some((name) => /\.\d+\./.test(name))) {
    const { code } = await tideport(['sync', 'default:in', 'copy'], { killAfterLines: 1 })
    if (code === 0) await rm(join(folder, 'copy'), { recursive: true })
  }
  // What nobody wants any more, and what a process writes now.
  const orphan = `.tideport-${crypto.randomUUID()}.part`
  await writeFile(join(folder, 'copy', orphan), 'x')
  await writeFile(join(folder, 'copy', `${orphan}.lock.4194999.${crypto.randomUUID()}`), '')
  const own = `.tideport-${crypto.randomUUID()}.${process.pid}.00000000.part`
  await writeFile(join(folder, 'copy', own), 'x')
  expect(await tideport(['sync', 'default:in', 'copy', '--delete'])).toMatchObject({ code: 0 })
  expect(await parts()).toEqual([own])
  for (const name of [...names, 'in/large']) {
    expect(await readFile(join(folder, 'copy', name.slice(3)))).toEqual(await readFile(join(folder, name)))
  }
})

test.concurrent('folders and files that are in each other’s way: empty ones are replaced, others with --delete', async () => {
  await using user = await cliAccount()
  const { tideport, folder } = user
  await write(user, { 'in/a': 'a', 'in/b': 'b', 'in/c/d': 'd' })
  await tideport(['sync', 'in', 'default:in'])
  await mkdir(join(folder, 'copy/a/nothing'), { recursive: true })
  await write(user, { 'copy/b/mine': 'mine', 'copy/c': 'mine too' })
  const partly = await tideport(['sync', 'default:in', 'copy'])
  expect(partly).toMatchObject({ code: 3, stderr: expect.stringContaining('copy/b/mine is in its way') })
  expect(partly.stderr).toContain('copy/c is in its way')
  expect(await readFile(join(folder, 'copy/a'), 'utf8')).toBe('a')
  expect(await readFile(join(folder, 'copy/b/mine'), 'utf8')).toBe('mine')
  expect(await tideport(['sync', 'default:in', 'copy', '--delete'])).toMatchObject({ code: 0 })
  expect((await readdir(join(folder, 'copy'), { recursive: true })).toSorted()).toEqual(['a', 'b', 'c', 'c/d'])
  expect(await readFile(join(folder, 'copy/b'), 'utf8')).toBe('b')
})

test.concurrent('names whose letters are written in another way are the same names, on both sides', async () => {
  await using user = await cliAccount()
  const { tideport, folder } = user
  // A disk of a Mac keeps them decomposed, the service composed.
  await write(user, { 'in/cafe\u0301/u\u0308.txt': 'one' })
  await tideport(['sync', 'in', 'default:in'])
  expect(await pathsOf(user)).toEqual(['in/caf\u00e9/\u00fc.txt'])
  expect(await tideport(['sync', 'in', 'default:in'])).toMatchObject({ code: 0, stdout: '' })
  await write(user, { 'new.txt': 'new', 'two.txt': 'two' })
  await tideport(['upload', 'new.txt', '--to', 'default:in/caf\u00e9'])
  await tideport(['mv', 'default:in/caf\u00e9/\u00fc.txt', 'default:old.txt'])
  await tideport(['upload', 'two.txt', '--to', 'default:in/caf\u00e9'])
  await tideport(['mv', 'default:in/caf\u00e9/two.txt', 'default:in/caf\u00e9/\u00fc.txt'])
  expect(await tideport(['sync', 'default:in', 'in'])).toMatchObject({ code: 0 })
  expect(await readdir(join(folder, 'in'))).toEqual(['cafe\u0301'])
  expect((await readdir(join(folder, 'in/cafe\u0301'))).toSorted()).toEqual(['new.txt', 'u\u0308.txt'])
  expect(await readFile(join(folder, 'in/cafe\u0301/u\u0308.txt'), 'utf8')).toBe('two')
  expect(await tideport(['sync', 'default:in', 'in'])).toMatchObject({ code: 0, stdout: '' })
})

test
  .skipIf(process.platform !== 'linux')
  .concurrent('a name that is no text is told, and the others are uploaded', async () => {
    // biome-ignore format: one line
    await using user = await cliAccount()
    const { tideport, folder } = user
    await write(user, { 'in/a': 'a' })
    await writeFile(Buffer.concat([Buffer.from(`${folder}/in/`), Buffer.from([0x62, 0xff])]), 'b')
    const partly = await tideport(['sync', 'in', 'default:in'])
    expect(partly).toMatchObject({ code: 3, stderr: expect.stringContaining('not UTF-8') })
    expect(await pathsOf(user)).toEqual(['in/a'])
  })

test.concurrent('an upload that goes on uploads again what was moved since', async () => {
  await using user = await cliAccount()
  const { tideport } = user
  const names = Array.from({ length: 20 }, (_, index) => `in/${String(index).padStart(2, '0')}`)
  await write(user, Object.fromEntries(names.map((name) => [name, name])))
  const args = ['upload', 'in', '--parallel', '1', '--json', '--on-conflict', 'fail']
  const killed = await tideport(args, { killAfterLines: 4 })
  expect(killed.code).toBeNull()
  expect(await tideport(['mv', 'default:in/00', 'default:moved'])).toMatchObject({ code: 0 })
  expect(await tideport(args)).toMatchObject({ code: 0 })
  expect(await pathsOf(user)).toEqual([...names, 'moved'])
})

test.concurrent('where nothing can be remembered it is said, and only what hangs on it fails', async () => {
  await using user = await cliAccount()
  const { tideport, folder } = user
  await write(user, { 'in/a': 'a', state: '' })
  const environment = { XDG_STATE_HOME: join(folder, 'state') }
  const told = { stderr: expect.stringContaining('XDG_STATE_HOME') }
  expect(await tideport(['upload', 'in'], { environment })).toMatchObject({ code: 0, ...told })
  expect(await tideport(['sync', 'in', 'default:in'], { environment })).toMatchObject({ code: 0 })
  expect(await tideport(['sync', 'default:in', 'copy'], { environment })).toMatchObject({ code: 0 })
  expect(await readFile(join(folder, 'copy/a'), 'utf8')).toBe('a')
  expect(await tideport(['webhooks', 'listen', crypto.randomUUID()], { environment })).toMatchObject({ code: 1, ...told }) // biome-ignore format: one claim
})

test.concurrent('an export that is refused leaves no folder, and one where nothing can be written begins nothing', async () => {
  await using user = await cliAccount()
  const { tideport, folder, client } = user
  const environment = { TIDEPORT_API_KEY: 'tdp_wrong' }
  expect(await tideport(['export', 'deep/out'], { environment })).toMatchObject({ code: 4 })
  expect(await readdir(folder)).toEqual([])
  await write(user, { file: '' })
  expect(await tideport(['export', 'file/out'])).toMatchObject({ code: 1 })
  expect((await listJobs(client).page()).jobs).toEqual([])
})

test.concurrent('days of usage are those of the clock here, also where the service has another day', async () => {
  await using user = await cliAccount()
  for (const hours of [-24, 24]) {
    const moved = `const now = Date.now; Date.now = () => now() + ${hours} * 3_600_000`
    const environment = { NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(moved)}"` }
    for (const days of ['1', '366']) {
      expect(await user.tideport(['usage', '--days', days], { environment })).toMatchObject({ code: 0 })
    }
  }
})

test.concurrent('a job goes on when its terminal is closed, and its id is told', async () => {
  await using user = await cliAccount()
  const { tideport, client } = user
  const names = Array.from({ length: 150 }, (_, index) => `many/${index}`)
  await write(user, Object.fromEntries(names.map((name) => [name, name])))
  expect(await tideport(['upload', 'many'])).toMatchObject({ code: 0 })
  const stopped = new AbortController()
  const running = tideport(['cp', 'default:many/', 'default:copies/'], { stop: stopped.signal, signal: 'SIGHUP' })
  const job = await waitFor(async () => (await listJobs(client, { limit: 1 }).page()).jobs[0], { what: 'a job' })
  stopped.abort()
  const ended = await running
  if (ended.code !== 0) expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`jobs cancel ${job.id}`) }) // biome-ignore format: one claim
  expect(await waitForJob(client, job.id)).toMatchObject({ state: 'done', done: 150 })
})
