import { randomUUID } from 'node:crypto'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { describe, expect, it } from 'vitest'
import { localPath } from '../../src/local/local-path.ts'
import { Locked, lockFile } from '../../src/local/lock-file.ts'
import { isRemote, parseAddress } from '../../src/remote/address.ts'
import { formatBytes, formatSeconds } from '../../src/terminal/amounts.ts'
import { UsageError } from '../../src/terminal/failures.ts'

describe('a path of the service', () => {
  it.each(['../x', 'a/../../x', '/etc/passwd', 'a//b', '.', '', 'a/./b', 'a\0b'])(
    'never leaves a folder: %j',
    (path) => {
      expect(() => localPath('/home/me', path)).toThrow(/is not a valid local path/)
    },
  )

  it.each(['nul', 'a/COM1.txt', 'com\u00b2', 'CON .txt', 'conout$', 'a:b', 'a.', 'a /b', 'a\\..\\b', 'tab\t'])(
    'is rejected if Windows would interpret it differently: %j',
    (path) => {
      expect(() => localPath('/home/me', path, 'win32')).toThrow(/is not a valid local path/)
      expect(localPath('/home/me', path, 'linux')).toBe(`/home/me/${path}`)
    },
  )

  it('may start like a device name', () => expect(localPath('/', 'null/com10/console', 'win32')).toMatch(/console$/))

  it('stays inside the folder', () => expect(localPath('/home/me', 'a/..b/c')).toBe('/home/me/a/..b/c'))
})

describe('an address', () => {
  it('is a vault and a path, or a file ID', () => {
    expect(parseAddress('photos:2026/a:b.jpg')).toEqual({ vault: 'photos', path: '2026/a:b.jpg' })
    expect(parseAddress('photos:/a')).toEqual({ vault: 'photos', path: 'a' })
    expect(parseAddress('photos:A\u0308')).toEqual({ vault: 'photos', path: '\u00c4' })
    const id = randomUUID()
    expect(parseAddress(id.toUpperCase())).toEqual({ fileId: id })
  })

  it.each(['a/b', './a:b', '/a:b', 'a', ':a'])('does not match the local path %s', (text) => {
    expect(isRemote(text)).toBe(false)
    expect(() => parseAddress(text)).toThrow(UsageError)
  })
})

it('formats amounts with three digits', () => {
  expect([0, 999, 1000, 1440, 9949, 9950, 999_499, 999_500, 5e9].map(formatBytes)).toEqual(['0 B', '999 B', '1.0 kB', '1.4 kB', '9.9 kB', '10 kB', '999 kB', '1.0 MB', '5.0 GB']) // biome-ignore format: a list
  expect([5, 65, 3725].map(formatSeconds)).toEqual(['0:05', '1:05', '1:02:05'])
})

it('gives a lock to one process until that process exits', async () => {
  await using folder = await createTemporaryDirectory('lock')
  const path = join(folder.path, 'lock')
  const claim = `${path}.1.${randomUUID()}`
  await writeFile(claim, '')
  await expect(lockFile(path)).rejects.toThrow(
    `Process 1 is already working on this. If that is not a tideport process, delete ${claim}`,
  )
  await rename(claim, `${path}.4194999.${randomUUID()}`) // above every real process ID
  await using held = await lockFile(path)
  expect((await readdir(folder.path)).length).toBe(1)
  await expect(lockFile(path)).rejects.toThrow(Locked)
  await held[Symbol.asyncDispose]()
  expect(await readdir(folder.path)).toEqual([])
})
