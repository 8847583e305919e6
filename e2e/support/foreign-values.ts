import { randomBytes } from 'node:crypto'
import { encryptionFields } from './encryption-fields.ts'
import { marker, type RichAccount, vaultMarker } from './rich-account.ts'

/** A value of the rich account, and a nonexistent value of the same length. Equal if the value names no object. */
export type Twin = { real: string; absent: string }
export type Side = keyof Twin

const twins = new Map<string, Twin>()

/** Returns the same twin for each call with the same value. */
function twin(real: string): Twin {
  const known = twins.get(real)
  if (known) return known
  const absent = /^[0-9a-f-]{36}$/.test(real)
    ? real.slice(0, -12) + crypto.randomUUID().slice(-12)
    : real.replaceAll(marker, 'zq-absent').replaceAll(vaultMarker, 'zq-other')
  const made = { real, absent }
  twins.set(real, made)
  return made
}

/** A twin of random characters, for cursors and tokens. */
export const random = (real: string): Twin => ({ real, absent: randomBytes(real.length).toString('base64url').slice(0, real.length) }) // biome-ignore format: one line

export type Values = Record<string, Twin[]>

export const same = (...values: string[]) => values.map((value) => ({ real: value, absent: value }))
const flags = same('true', 'false')
const past = '2020-01-01T00:00:00.000Z'
const future = '2100-01-01T00:00:00.000Z'

/** Values of every path parameter. Requests that vary another parameter use the first value. */
export function pathValues({ vaults, files, ...of }: RichAccount): Values {
  return {
    vaultId: [vaults.rich, vaults.trashed, vaults.shown].map(({ id }) => twin(id)),
    path: [`${of.folder}${marker}-early.txt`, `${marker}-kept/`].map(twin),
    fileId: [files.early.id, ...files.trashed].map(twin),
    jobId: [twin(of.jobId)],
    blobId: [random(of.blobId)],
    userId: [twin(of.userId)],
    vaultSlug: [vaults.rich, vaults.trashed].map(({ slug }) => twin(slug)),
    linkId: [twin(of.linkId)],
    token: [random(of.token)],
    apiKeyId: [twin(of.apiKeyId)],
    passkeyId: [twin(crypto.randomUUID())],
    webhookId: [twin(of.webhookId)],
    deliveryId: [twin(of.deliveryId)],
    runId: [twin(crypto.randomUUID())],
  }
}

/** Values of every query parameter except `cursor`. */
export function queryValues({ vaults, files, folder, ...of }: RichAccount): Values {
  const { plaintextSizeBytes, ...encryption } = encryptionFields()
  return {
    vaultId: [vaults.rich, vaults.trashed, vaults.shown].map(({ id }) => twin(id)),
    prefix: [twin(folder), twin(`${marker}-`)],
    delimiter: same('/'),
    sortBy: same('createdAt', 'name', 'path'),
    order: same('asc', 'desc'),
    limit: same('1', '100'),
    tag: [twin(`${marker}-tag`)],
    [`meta.${marker}`]: [twin(marker)],
    status: same('hot', 'cold', 'uploading', 'error'),
    mimeType: same('text/plain', 'text/*'),
    q: [twin(`${marker}-1`), ...same('~~', 'zq')],
    createdAfter: same(past, future),
    createdBefore: same(past, future),
    trashed: flags,
    awaitingReview: flags,
    subjectId: [twin(files.early.id), twin(vaults.rich.id)],
    keyId: [twin(of.apiKeyId)],
    kind: same('file.uploaded', 'vault.created', 'key.created', 'copies'),
    from: same('2020-01-01'),
    to: same('2099-01-01'),
    after: same(past, future),
    before: same(past, future),
    force: flags,
    permanent: flags,
    includeRevoked: flags,
    success: flags,
    event: same('vault.created', 'file.hot'),
    waitSeconds: same('0'),
    download: same('true'),
    preview: same('true'),
    disposition: same('attachment'),
    path: [twin(`${marker}-kept/`)],
    expires: same(of.signed.get('expires') as string),
    signature: same(of.signed.get('signature') as string),
    wrappedKey: same(encryption.wrappedKey),
    encryptionIv: same(encryption.encryptionIv),
    plaintextSizeBytes: same(`${plaintextSizeBytes}`),
    plaintextChecksumSha256: same(encryption.plaintextChecksumSha256),
    sealedMetadata: same('sealed'),
    checksumSha256: same('0'.repeat(64)),
    onConflict: same('keep', 'fail', 'replace'),
    expiresAt: same(future),
    autoConfirm: flags,
    error: same('unknown'),
    olderThanSeconds: same('0'),
  }
}
