import { createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { armor, Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, it } from 'vitest'
import { seal } from '../../src/age/chacha20-poly1305.ts'
import { scrypt } from '../../src/age/scrypt.ts'
import { createIdentity, createVaultKey, DecryptionError, openVaultKey, sealVaultKey } from '../../src/crypto.ts'

const text = (key: Uint8Array) => `tideport-vault-key-1:${Buffer.from(key).toString('base64url')}\n`

/** The other implementation of age. */
async function ageDecrypts(file: string, open: (decrypter: Decrypter) => void): Promise<string> {
  const decrypter = new Decrypter()
  open(decrypter)
  return await decrypter.decrypt(armor.decode(file), 'text')
}

describe('a vault key', () => {
  it('comes back by each identity that it was sealed for, here and by age', async () => {
    const key = createVaultKey()
    const ours = await createIdentity()
    const theirs = await generateIdentity()
    const file = await sealVaultKey(key, { recipients: [ours.recipient, await identityToRecipient(theirs)] })
    for (const identity of [ours.identity, theirs]) {
      await expect(openVaultKey(file, { identity })).resolves.toEqual(key)
      await expect(ageDecrypts(file, (age) => age.addIdentity(identity))).resolves.toBe(text(key))
    }
    expect(await identityToRecipient(ours.identity)).toBe(ours.recipient)
    await expect(openVaultKey(file, { identity: (await createIdentity()).identity })).rejects.toThrow(DecryptionError)
  })

  it('comes back by its passphrase, here and by age', async () => {
    const key = createVaultKey()
    const file = await sealVaultKey(key, { passphrase: 'Häfen und Schiffe', workFactor: 10 })
    await expect(openVaultKey(file, { passphrase: 'Häfen und Schiffe' })).resolves.toEqual(key)
    await expect(ageDecrypts(file, (age) => age.addPassphrase('Häfen und Schiffe'))).resolves.toBe(text(key))
    await expect(openVaultKey(file, { passphrase: 'another' })).rejects.toThrow(DecryptionError)
  })

  it('that age sealed is opened, armored or not', async () => {
    const key = createVaultKey()
    const { identity, recipient } = await createIdentity()
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    const file = await encrypter.encrypt(text(key))
    await expect(openVaultKey(file, { identity })).resolves.toEqual(key)
    await expect(openVaultKey(armor.encode(file), { identity })).resolves.toEqual(key)
  })

  it('does not come of a file that was changed anywhere, or asks for too much work', async () => {
    const { identity, recipient } = await createIdentity()
    const file = armor.decode(await sealVaultKey(createVaultKey(), { recipients: [recipient] }))
    for (let at = 0; at < file.length; at++) {
      const changed = file.slice()
      changed[at] = (changed[at] as number) ^ 1
      await expect(openVaultKey(changed, { identity }), `byte ${at}`).rejects.toThrow()
    }
    const slow = await sealVaultKey(createVaultKey(), { passphrase: 'a', workFactor: 2 })
    const heavy = new TextDecoder('latin1').decode(armor.decode(slow)).replace(/^(-> scrypt \S+) 2$/m, '$1 30')
    await expect(openVaultKey(Buffer.from(heavy, 'latin1'), { passphrase: 'a' })).rejects.toThrow(/more work/)
  })
})

it('ChaCha20-Poly1305 and scrypt are those of Node', async () => {
  for (const length of [0, 1, 16, 32, 63, 64, 65, 200]) {
    const [key, nonce, plaintext] = [randomBytes(32), randomBytes(12), randomBytes(length)]
    const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
    const expected = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    expect(Buffer.from(seal(key, nonce, plaintext))).toEqual(expected)
  }
  const salt = new Uint8Array(randomBytes(20))
  const expected = scryptSync('secret', salt, 32, { N: 1024, r: 8, p: 1 })
  expect(Buffer.from(await scrypt(new TextEncoder().encode('secret'), salt, 1024))).toEqual(expected)
})
