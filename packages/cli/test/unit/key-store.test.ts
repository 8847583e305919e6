import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { describe, expect, it } from 'vitest'
import { forgetKey, keepKey, readKey } from '../../src/profile/profiles.ts'
import { type Keyring, keyringOf } from '../../src/profile/secrets.ts'

const login = { name: 'work', url: 'https://files.example', key: 'tdp_secret' }

/** A fake system keyring with optional faults. */
function keyring(fault?: 'locked' | 'forgetful' | 'unreadable'): Keyring & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    async read(account) {
      if (fault === 'unreadable') throw new Error('no such interface')
      return kept.get(account) ?? null
    },
    async write(account, secret) {
      if (fault === 'locked') throw new Error('no such interface')
      if (fault !== 'forgetful') kept.set(account, secret)
    },
    remove: async (account) => void kept.delete(account),
  }
}

describe('a key', () => {
  it('is stored in a keyring that returns it, and nowhere else', async () => {
    await using home = await createTemporaryDirectory('key-store')
    const ring = keyring()
    const profile = await keepKey({ XDG_CONFIG_HOME: home.path }, login, ring)
    expect(profile).toEqual({ url: login.url, keyIn: 'keyring' })
    expect(await readdir(home.path)).toEqual([])
    expect(await readKey('work', profile, async () => ring)).toBe(login.key)
    // The key of another service is separate.
    expect(await readKey('work', { ...profile, url: 'https://other.example' }, async () => ring)).toBeNull()
  })

  const denied = () => {
    throw new Error("Couldn't access platform storage: PermissionDenied")
  }
  it.each([
    ['is locked', keyring('locked')],
    ['forgets', keyring('forgetful')],
    ['cannot be read', keyring('unreadable')],
    ['throws on every call', keyringOf(() => ({ getPassword: denied, setPassword: denied, deletePassword: denied }))],
    ['cannot be opened', keyringOf(denied)],
  ] as const)('is stored in a file that only this user can read if the keyring %s', async (_, ring) => {
    await using home = await createTemporaryDirectory('key-store')
    const profile = await keepKey({ XDG_CONFIG_HOME: home.path }, login, ring)
    expect(profile.keyIn).toBe(join(home.path, 'tideport/keys/work'))
    expect(await readFile(profile.keyIn, 'utf8')).toBe('tdp_secret\n')
    expect((await stat(profile.keyIn)).mode & 0o777).toBe(0o600)
    expect((await stat(join(home.path, 'tideport/keys'))).mode & 0o777).toBe(0o700)
    const unneeded = () => Promise.reject(new Error('asked'))
    expect(await readKey('work', profile, unneeded)).toBe(login.key)
  })

  it('reports a failing keyring as an error', async () => {
    const kept = { url: login.url, keyIn: 'keyring' }
    const ring = async () => keyringOf(denied)
    const sentence = "The system keyring failed: Couldn't access platform storage: PermissionDenied"
    await expect(readKey('work', kept, ring)).rejects.toThrow(sentence)
    await expect(forgetKey('work', kept, ring)).rejects.toThrow(sentence)
  })
})
