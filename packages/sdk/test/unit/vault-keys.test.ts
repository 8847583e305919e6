import { createHmac, randomBytes } from 'node:crypto'
import { armor, Decrypter, Encrypter, generateIdentity, identityToRecipient, webauthn } from 'age-encryption'
import { describe, expect, it, vi } from 'vitest'
import {
  createIdentity,
  createVaultKey,
  DecryptionError,
  openVaultKey,
  type Passkey,
  readIdentities,
  sealVaultKey,
  WrongKeyError,
} from '../../src/crypto.ts'

const text = (key: Uint8Array) => `tideport-vault-key-1:${Buffer.from(key).toString('base64url')}\n`

/** Another implementation of age. */
async function ageDecrypts(file: string, open: (decrypter: Decrypter) => void): Promise<string> {
  const decrypter = new Decrypter()
  open(decrypter)
  return await decrypter.decrypt(armor.decode(file), 'text')
}

/** The WebAuthn extension `prf` of an authenticator: two HMACs with a secret that stays inside. */
function passkeyOf(secret: Buffer): Passkey {
  const hmac = (input: Uint8Array) =>
    new Uint8Array(createHmac('sha256', secret).update('WebAuthn PRF\0').update(input).digest())
  return async ({ first, second }) => ({ first: hmac(first), second: hmac(second) })
}

/** Replaces `navigator.credentials`, which Node lacks, by one with only this passkey. */
async function withPasskey(passkey: Passkey, work: () => Promise<void>): Promise<void> {
  const get = async ({ publicKey }: { publicKey: { extensions: { prf: { eval: Parameters<Passkey>[0] } } } }) => {
    const results = await passkey(publicKey.extensions.prf.eval)
    return { getClientExtensionResults: () => ({ prf: { results } }) }
  }
  Object.defineProperty(navigator, 'credentials', { value: { get }, configurable: true })
  try {
    await work()
  } finally {
    Reflect.deleteProperty(navigator, 'credentials')
  }
}

describe('a vault key', () => {
  it('opens with each identity that it was sealed for, in the SDK and in age', async () => {
    const key = createVaultKey()
    const ours = await createIdentity()
    const theirs = await generateIdentity()
    const file = await sealVaultKey(key, { recipients: [ours.recipient, await identityToRecipient(theirs)] })
    for (const identity of [ours.identity, theirs]) {
      await expect(openVaultKey(file, { identity })).resolves.toEqual(key)
      await expect(ageDecrypts(file, (age) => age.addIdentity(identity))).resolves.toBe(text(key))
    }
    expect(await identityToRecipient(ours.identity)).toBe(ours.recipient)
    const { identity } = await createIdentity()
    await expect(openVaultKey(file, { identity })).rejects.toThrow(
      new WrongKeyError('The age file is encrypted for other identities'),
    )
    await expect(openVaultKey(file, { passphrase: 'a' })).rejects.toThrow(
      'The age file cannot be opened with a passphrase',
    )
  })

  it('opens with its passphrase, in the SDK and in age', async () => {
    const key = createVaultKey()
    const file = await sealVaultKey(key, { passphrase: 'Häfen und Schiffe', workFactor: 10 })
    await expect(openVaultKey(file, { passphrase: 'Häfen und Schiffe' })).resolves.toEqual(key)
    await expect(ageDecrypts(file, (age) => age.addPassphrase('Häfen und Schiffe'))).resolves.toBe(text(key))
    await expect(openVaultKey(file, { passphrase: 'another' })).rejects.toThrow(
      new WrongKeyError('The passphrase is wrong'),
    )
    const { identity } = await createIdentity()
    await expect(openVaultKey(file, { identity })).rejects.toThrow('The age file cannot be opened with an identity')
  })

  const nfc = 'caf\u00e9 cr\u00e8me'
  const nfd = nfc.normalize('NFD')
  it.each([
    ['sealed and opened', nfc, nfd],
    ['opened and sealed', nfd, nfc],
    ['a mixture of both', `${nfc} ${nfd}`, `${nfd} ${nfc}`],
    ['a symbol that NFC replaces', '\u212bngstr\u00f6m', '\u00c5ngstr\u00f6m'],
    ['Hangul', '\ud55c\uae00', '\ud55c\uae00'.normalize('NFD')],
    ['marks in another order', 'a\u0323\u0302', 'a\u0302\u0323'],
  ])('opens with a passphrase in another Unicode form: %s', async (_, sealed, typed) => {
    const key = createVaultKey()
    const file = await sealVaultKey(key, { passphrase: sealed, workFactor: 4 })
    await expect(openVaultKey(file, { passphrase: typed })).resolves.toEqual(key)
    await expect(ageDecrypts(file, (age) => age.addPassphrase(sealed.normalize('NFC')))).resolves.toBe(text(key))
  })

  it('opens with the Unicode form that age sealed, and treats no letter as another', async () => {
    const key = createVaultKey()
    for (const sealed of [nfc, nfd, '\u212b']) {
      const encrypter = new Encrypter()
      encrypter.setPassphrase(sealed)
      encrypter.setScryptWorkFactor(4)
      const file = await encrypter.encrypt(text(key))
      await expect(openVaultKey(file, { passphrase: sealed })).resolves.toEqual(key)
    }
    const sealed = { passphrase: 'fine \u2460', workFactor: 4 }
    const file = await sealVaultKey(key, sealed)
    for (const passphrase of ['\ufb01ne \u2460', 'fine 1', 'Fine \u2460', ' fine \u2460', 'fine \u2460 '])
      await expect(openVaultKey(file, { passphrase })).rejects.toThrow(WrongKeyError)
  })

  it.each([
    [1, 'ascii'],
    [2, nfc],
    [2, nfd],
    [3, `${nfc} ${nfd}`],
  ])('calls scrypt at most %i times for %s', async (count, passphrase) => {
    const file = await sealVaultKey(createVaultKey(), { passphrase: 'another', workFactor: 4 })
    const asked = vi.spyOn(process.getBuiltinModule('node:crypto'), 'scrypt')
    try {
      await expect(openVaultKey(file, { passphrase })).rejects.toThrow('The passphrase is wrong')
      expect(asked).toHaveBeenCalledTimes(count)
    } finally {
      asked.mockRestore()
    }
  })

  it('opens with any identity of a file, whatever its other lines contain', async () => {
    const key = createVaultKey()
    const [old, current] = [await createIdentity(), await createIdentity()]
    const file = await sealVaultKey(key, { recipients: [`${current.recipient}\r\n`] })
    const unusable = ['AGE-SECRET-KEY-PQ-1QQQ', 'AGE-PLUGIN-YUBIKEY-1QQQ', old.identity.slice(0, -1), 'see the wiki']
    for (const identity of [
      `# old\n${old.identity}\n# new\n${current.identity}\n`,
      `\ufeff${old.identity}\r\n\r\n  ${current.identity} \t\r\n`,
      `${unusable.join('\n')}\n${current.identity}`,
      current.identity.toLowerCase(),
      [old.identity, current.identity],
    ]) {
      await expect(openVaultKey(file, { identity }), String(identity)).resolves.toEqual(key)
    }
    expect(readIdentities(`# a\n\n${[...unusable, current.identity].join('\n')}`).skipped).toEqual([
      'Line 3 skipped: post-quantum identities are not supported',
      'Line 4 skipped: plugin identities are not supported',
      'Line 5 skipped: not an age identity',
      'Line 6 skipped: not an age identity',
    ])
    await expect(openVaultKey(file, { identity: `${old.identity}\n${old.identity}` })).rejects.toThrow(WrongKeyError)
    await expect(openVaultKey(file, { identity: '# none\n' })).rejects.toThrow('The text contains no age identity')
    await expect(openVaultKey(file, { identity: 'AGE-PLUGIN-X-1QQQ' })).rejects.toThrow(
      'plugin identities are not supported',
    )
    const locked = await sealVaultKey(key, { passphrase: 'a', workFactor: 4 })
    await expect(openVaultKey(file, { identity: locked })).rejects.toThrow('Decrypt it with `age -d` first')
  })

  it('opens if age sealed it, armored or not', async () => {
    const key = createVaultKey()
    const { identity, recipient } = await createIdentity()
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    const file = await encrypter.encrypt(text(key))
    await expect(openVaultKey(file, { identity })).resolves.toEqual(key)
    await expect(openVaultKey(armor.encode(file), { identity })).resolves.toEqual(key)
  })

  it('opens with its passkey, in the SDK and in age', async () => {
    const key = createVaultKey()
    const passkey = passkeyOf(randomBytes(32))
    const file = await sealVaultKey(key, { passkey })
    await expect(openVaultKey(file, { passkey })).resolves.toEqual(key)
    await expect(openVaultKey(file, { passkey: passkeyOf(randomBytes(32)) })).rejects.toThrow(DecryptionError)
    await expect(openVaultKey(file, { passphrase: 'a' })).rejects.toThrow(DecryptionError)
    await withPasskey(passkey, async () => {
      await expect(ageDecrypts(file, (age) => age.addIdentity(new webauthn.WebAuthnIdentity()))).resolves.toBe(
        text(key),
      )
      const encrypter = new Encrypter()
      encrypter.addRecipient(new webauthn.WebAuthnRecipient())
      await expect(openVaultKey(await encrypter.encrypt(text(key)), { passkey })).resolves.toEqual(key)
    })
  })

  it('does not open with a declined passkey, or with wrong outputs', async () => {
    const file = await sealVaultKey(createVaultKey(), { passkey: passkeyOf(randomBytes(32)) })
    const declined = () => Promise.reject(new DOMException('No', 'NotAllowedError'))
    await expect(openVaultKey(file, { passkey: declined })).rejects.toThrow('No')
    const short = async () => ({ first: new Uint8Array(16), second: new Uint8Array(32) })
    await expect(openVaultKey(file, { passkey: short })).rejects.toThrow(TypeError)
  })

  it('does not open from a modified file, or from one with a high work factor', async () => {
    const { identity, recipient } = await createIdentity()
    const file = armor.decode(await sealVaultKey(createVaultKey(), { recipients: [recipient] }))
    for (let at = 0; at < file.length; at++) {
      const changed = file.slice()
      changed[at] = (changed[at] as number) ^ 1
      await expect(openVaultKey(changed, { identity }), `byte ${at}`).rejects.toThrow()
    }
    const slow = await sealVaultKey(createVaultKey(), { passphrase: 'a', workFactor: 2 })
    const heavy = new TextDecoder('latin1').decode(armor.decode(slow)).replace(/^(-> scrypt \S+) 2$/m, '$1 30')
    await expect(openVaultKey(Buffer.from(heavy, 'latin1'), { passphrase: 'a' })).rejects.toThrow(/work factor/)
  })
})
