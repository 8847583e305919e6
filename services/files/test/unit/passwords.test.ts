import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { POOL_THREADS } from '@tideport/service-kit/process/thread-pool'
import { expect, it } from 'vitest'
import { createPasswords } from '../../src/links/password.ts'

const password = 'pässword one'
const guess = (network: number) => ({ linkId: `link ${network}`, clientAddress: `192.0.${network}.1` })
const codeOf = (error: { code: string }) => error.code

it('rejects only the network that sends too many concurrent passwords', async () => {
  const passwords = createPasswords()
  const hash = await passwords.hash(password, 'owner')
  const attack = Array.from({ length: 100 }, (_, index) => {
    const from = { linkId: `link ${index}`, clientAddress: `192.0.2.${index}` }
    return passwords.isRight('wrong', hash, from).then(String, codeOf)
  })
  expect(await passwords.isRight(password, hash, guess(3))).toBe(true)
  expect(await passwords.isRight(password, hash, { linkId: 'link 6', clientAddress: '2001:db8:1::1' })).toBe(true)
  expect(new Set(await Promise.all(attack))).toEqual(new Set(['false', 'rate_limited']))
})

it('hashes while every thread of the libuv pool is blocked', async () => {
  const passwords = createPasswords()
  const hash = await passwords.hash(password, 'owner')
  expect(await passwords.isRight(password, hash, guess(1))).toBe(true)
  const directory = mkdtempSync(join(tmpdir(), 'passwords-'))
  const fifo = join(directory, 'fifo')
  execFileSync('mkfifo', [fifo])
  // Opening a FIFO for reading blocks its thread until there is a writer.
  const opened = Array.from({ length: 2 * POOL_THREADS }, () => open(fifo, 'r'))
  try {
    expect(await passwords.isRight('wrong', hash, guess(1))).toBe(false)
    expect(await passwords.hash(password, 'owner')).not.toBe(hash)
  } finally {
    const writer = openSync(fifo, 'r+')
    await Promise.all(opened.map(async (handle) => (await handle).close()))
    closeSync(writer)
    rmSync(directory, { recursive: true })
  }
})
