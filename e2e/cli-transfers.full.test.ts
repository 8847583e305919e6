import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

const MIB = 1024 ** 2

// Not concurrent, because the load of the comparisons would delay the signal.
test('a killed upload resumes without sending complete files again', async () => {
  await using user = await cliAccount()
  const { tideport, write, filesOf } = user
  const names = Array.from({ length: 30 }, (_, index) => `${String(index).padStart(2, '0')}.bin`)
  for (const name of names) await write({ [`many/${name}`]: randomBytes(2000) })
  await write({ 'many/large.bin': randomBytes(64 * MIB) })
  const args = ['upload', 'many', '--parallel', '2', '--json']
  const killed = await tideport(args, { killAfterLines: 6 })
  expect(killed.code).toBeNull()
  const before = (await filesOf()).filter(({ status }) => status !== 'uploading')
  expect(before.length).toBeGreaterThanOrEqual(5)
  const stop = new AbortController()
  const onStderr = async (told: string) => {
    // As early as possible, so that much is left when the signal arrives.
    if (told.includes('Resuming')) stop.abort()
    return stop.signal.aborted
  }
  const interrupted = await tideport(args, { stop: stop.signal, onStderr })
  expect(interrupted).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('To resume, run the same command again'),
  })

  const last = await tideport(args)
  expect(last).toMatchObject({ code: 0, stderr: expect.stringContaining('Resuming') })
  const files = await filesOf()
  expect(files.map(({ path }) => path)).toEqual([...names, 'large.bin'].map((name) => `many/${name}`))
  const ids = new Set(files.map(({ id }) => id))
  expect(before.filter(({ id }) => !ids.has(id))).toEqual([])
  // The run is complete, so no state remains.
  expect(await readdir(join(user.home, '.local/state/tideport/uploads'))).toEqual([])
})

test.concurrent('a folder comes back byte for byte, existing files with other bytes stay, and a failed file does not block others', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, read } = user
  const bytes = {
    'box/a.bin': randomBytes(17 * MIB),
    'box/in/empty': Buffer.alloc(0),
    'box/in/Ä.txt': Buffer.from('ä'),
  }
  await write({ ...bytes, 'box/bad\u0007name': 'x' })
  await symlink('a.bin', at('box/link'))
  const uploaded = await tideport(['upload', 'box'])
  expect(uploaded).toMatchObject({ code: 3, stderr: expect.stringContaining('1 of 4 files failed') })
  expect(uploaded.stderr).toContain('Skipped 1 symbolic link')
  expect(uploaded.stderr).not.toContain('\u0007')
  // The run reached its end, so the next one has nothing to resume, and still sends nothing twice.
  const repeated = await tideport(['upload', 'box'])
  expect(repeated).toMatchObject({ code: 3, stderr: expect.not.stringContaining('Resuming') })
  const idsOf = (text: string) => text.split('\n').map((line) => line.slice(0, 36)).toSorted() // biome-ignore format: one chain
  expect(idsOf(repeated.stdout)).toEqual(idsOf(uploaded.stdout))

  expect(await tideport(['download', 'default:box', '--to', 'back'])).toMatchObject({ code: 0 })
  for (const [name, content] of Object.entries(bytes))
    expect(content.equals(await readFile(at(`back/${name}`))), name).toBe(true)
  await write({ 'back/box/in/Ä.txt': 'mine' })
  const again = await tideport(['download', 'default:box', '--to', 'back', '--json'])
  expect(again.code).toBe(3)
  expect(again.values()).toEqual(expect.arrayContaining([expect.objectContaining({ error: expect.stringContaining('To replace it, use --overwrite') }), expect.objectContaining({ wasThere: true })])) // biome-ignore format: one claim
  expect(await read('back/box/in/Ä.txt')).toBe('mine')
  expect(await tideport(['verify', 'default:box', '--local', 'back/box', '--json'])).toMatchObject({ code: 3, stderr: expect.stringContaining('1 of 3') }) // biome-ignore format: one claim
  expect(await tideport(['download', 'default:box', '--to', 'back', '--overwrite'])).toMatchObject({ code: 0 })
  expect(await tideport(['verify', 'default:box', '--local', 'back/box'])).toMatchObject({ code: 0 })
  expect((await readdir(at('back'), { recursive: true })).filter((name) => name.includes('.part'))).toEqual([])
})

test.concurrent('an interrupted download of a large file resumes, and its complete bytes are verified', async () => {
  await using user = await cliAccount()
  const { tideport, at, write } = user
  const content = randomBytes(17 * MIB)
  await write({ 'film.bin': content })
  const [{ fileId }] = (await tideport(['upload', 'film.bin', '--json'])).values()
  await rm(at('film.bin'))
  const part = `.tideport-${fileId}.part`
  await write({ [part]: content.subarray(0, 5 * MIB) })
  expect(await tideport(['download', 'default:film.bin'])).toMatchObject({ code: 0 })
  expect(content.equals(await readFile(at('film.bin')))).toBe(true)
  // Bytes of another file in the part: detected at the end, and discarded.
  await rm(at('film.bin'))
  const watched = await tideport(['watch', 'default:film.bin', '--until', 'cold', '--json'])
  expect([watched.code, watched.values().at(-1)]).toMatchObject([
    0,
    { status: 'cold', storageNetworkBlobId: expect.any(String) },
  ])
  await write({ [part]: randomBytes(5 * MIB) })
  expect(await tideport(['download', 'default:film.bin'])).toMatchObject({ code: 1 })
  expect(await tideport(['download', 'default:film.bin'])).toMatchObject({ code: 0 })
  expect(content.equals(await readFile(at('film.bin')))).toBe(true)
})
