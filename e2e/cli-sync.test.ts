import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles, listTrash, listVaults } from '@tideport/sdk'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

type User = Awaited<ReturnType<typeof cliAccount>>

async function pathsOf({ client }: User): Promise<string[]> {
  const { vaults } = await listVaults(client).page()
  const paths: string[] = []
  for await (const file of listFiles(client, { vaultId: vaults[0]?.id, sortBy: 'path' })) paths.push(file.path)
  return paths
}

test.concurrent('a folder of the service becomes like one here, by bytes alone, and nothing is gone for good', async () => {
  await using user = await cliAccount()
  const { tideport, folder, client } = user
  const at = (name: string) => join(folder, 'site', name)
  await mkdir(at('css'), { recursive: true })
  for (const [name, text] of Object.entries({ 'a.html': 'one', 'b.html': 'two', 'css/c.css': 'three' })) await writeFile(at(name), text) // biome-ignore format: one line
  await writeFile(at('large.bin'), randomBytes(17 * 1024 ** 2))

  const plan = await tideport(['sync', 'site', 'default:www', '--dry-run', '--json'])
  expect(plan.values().map(({ action, path }) => [action, path])).toEqual(['a.html', 'b.html', 'css/c.css', 'large.bin'].map((name) => ['upload', `www/${name}`])) // biome-ignore format: one claim
  expect(await pathsOf(user)).toEqual([])

  expect(await tideport(['sync', 'site', 'default:www'])).toMatchObject({ code: 0 })
  expect(await pathsOf(user)).toEqual(['www/a.html', 'www/b.html', 'www/css/c.css', 'www/large.bin'])
  // Other times, same bytes. The service does not know the large one's sum before it was copied; we do.
  for (const name of ['a.html', 'large.bin']) await utimes(at(name), 1, 1)
  expect(await tideport(['sync', 'site', 'default:www'])).toMatchObject({ code: 0, stdout: '', stderr: '4 files the same already\n' }) // biome-ignore format: one claim

  // Another text of the same size and time.
  await writeFile(at('a.html'), 'ONE')
  await utimes(at('a.html'), 1, 1)
  await rm(at('b.html'))
  const kept = await tideport(['sync', 'site', 'default:www', '--json'])
  expect(kept.values().map(({ to }) => to)).toEqual(['default:www/a.html'])
  expect(await pathsOf(user)).toContain('www/b.html')
  const removed = await tideport(['sync', 'site', 'default:www', '--delete', '--json'])
  expect(removed.values()).toMatchObject([{ action: 'delete', to: 'default:www/b.html' }])
  expect(await tideport(['cat', 'default:www/a.html'])).toMatchObject({ stdout: 'ONE' })
  const { files } = await listTrash(client).page()
  expect(files.map(({ path }) => path).toSorted()).toEqual(['www/a.html', 'www/b.html'])

  // A disk that is not mounted.
  await mkdir(join(folder, 'empty'))
  expect(await tideport(['sync', 'empty', 'default:www', '--delete'])).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to copy from') }) // biome-ignore format: one claim
  expect(await tideport(['sync', 'missing', 'default:www', '--delete'])).toMatchObject({ code: 1 })
  expect(await pathsOf(user)).toEqual(['www/a.html', 'www/css/c.css', 'www/large.bin'])
})

test.concurrent('a folder here becomes like one of the service; deleted is only when all else went well', async () => {
  await using user = await cliAccount()
  const { tideport, folder } = user
  await mkdir(join(folder, 'from/deep'), { recursive: true })
  await writeFile(join(folder, 'from/a.txt'), 'a')
  await writeFile(join(folder, 'from/deep/b.txt'), 'b')
  await tideport(['sync', 'from', 'default:box'])
  const copy = (name: string) => join(folder, 'copy', name)
  expect(await tideport(['sync', 'default:box', 'copy'])).toMatchObject({ code: 0 })
  expect((await readdir(join(folder, 'copy'), { recursive: true })).toSorted()).toEqual(['a.txt', 'deep', 'deep/b.txt'])

  await mkdir(copy('old'))
  await writeFile(copy('old/gone.txt'), 'x')
  await writeFile(copy('a.txt'), 'changed')
  // What is a file there is a folder here.
  await tideport(['upload', 'from/a.txt', '--to', 'default:box/deep/b.txt'])
  const failed = await tideport(['sync', 'default:box', 'copy', '--delete'])
  expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('deep/b.txt/a.txt') })
  expect(await readFile(copy('a.txt'), 'utf8')).toBe('a')
  expect(await readFile(copy('old/gone.txt'), 'utf8')).toBe('x')

  await tideport(['rm', 'default:box/deep/b.txt/a.txt'])
  const done = await tideport(['sync', 'default:box', 'copy', '--delete', '--json'])
  expect(done.values()).toEqual([{ action: 'delete', path: copy('old/gone.txt') }])
  expect((await readdir(join(folder, 'copy'), { recursive: true })).toSorted()).toEqual(['a.txt', 'deep', 'deep/b.txt'])
})

test.concurrent('a sync that was killed goes on, and uploads again what was deleted or moved since', async () => {
  await using user = await cliAccount()
  const { tideport, folder } = user
  await mkdir(join(folder, 'in'))
  const names = Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, '0')}.bin`)
  for (const name of names) await writeFile(join(folder, 'in', name), randomBytes(1000))
  const args = ['sync', 'in', 'default:', '--parallel', '2', '--json']
  // Of what went first nothing is on its way any more.
  const killed = await tideport(args, { killAfterLines: 12 })
  expect(killed.code).toBeNull()
  expect(await tideport(['rm', 'default:00.bin'])).toMatchObject({ code: 0 })
  expect(await tideport(['mv', 'default:01.bin', 'default:moved.bin'])).toMatchObject({ code: 0 })
  expect(await tideport(args)).toMatchObject({ code: 0 })
  expect(await pathsOf(user)).toEqual([...names, 'moved.bin'])
})
