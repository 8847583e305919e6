import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { describe, expect, it } from 'vitest'
import { keepKey, readKey } from '../../src/profile/key-store.ts'
import type { Keyring } from '../../src/profile/secrets.ts'

const login = { name: 'work', url: 'https://files.example', key: 'tdp_secret' }

/** What an operating system has, with its faults. */
function keyring(fault?: 'locked' | 'forgetful'): Keyring & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    read: async (account) => kept.get(account) ?? null,
    async write(account, secret) {
      if (fault === 'locked') throw new Error('no such interface')
      if (fault !== 'forgetful') kept.set(account, secret)
    },
    remove: async (account) => void kept.delete(account),
  }
}

describe('a key', () => {
  it('is kept in a keyring that gives it back, and nowhere else', async () => {
    await using home = await createTemporaryDirectory('key-store')
    const ring = keyring()
    const profile = await keepKey({ XDG_CONFIG_HOME: home.path }, login, ring)
    expect(profile).toEqual({ url: login.url, keyIn: 'keyring' })
    expect(await readdir(home.path)).toEqual([])
    expect(await readKey('work', profile, async () => ring)).toBe(login.key)
    // Another service's key is another one.
    expect(await readKey('work', { ...profile, url: 'https://other.example' }, async () => ring)).toBeNull()
  })

  it.each(['locked', 'forgetful'] as const)(
    'goes to a file of this user alone where the keyring is %s',
    async (fault) => {
      await using home = await createTemporaryDirectory('key-store')
      const profile = await keepKey({ XDG_CONFIG_HOME: home.path }, login, keyring(fault))
      expect(profile.keyIn).toBe(join(home.path, 'tideport/keys/work'))
      expect(await readFile(profile.keyIn, 'utf8')).toBe('tdp_secret\n')
      expect((await stat(profile.keyIn)).mode & 0o777).toBe(0o600)
      expect((await stat(join(home.path, 'tideport/keys'))).mode & 0o777).toBe(0o700)
      const unneeded = () => Promise.reject(new Error('asked'))
      expect(await readKey('work', profile, unneeded)).toBe(login.key)
    },
  )
})
