import { type ApiKey, type CreateApiKeyInput, type CreatedApiKey, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '@tideport/sdk' // biome-ignore format: one line
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { connect } from '../profile/connect.ts'
import { findVault } from '../remote/find-vault.ts'
import { parseCount } from '../terminal/amounts.ts'
import { UsageError } from '../terminal/failures.ts'
import { readS3Api, type S3Format, s3Configuration, s3Formats } from './s3-configuration.ts'

const s3Format = {
  type: 'string',
  value: 'FORMAT',
  choices: s3Formats,
  summary: 'Configuration of S3 credentials: env (default), aws, or rclone',
} as const

export const keys = command({
  name: 'keys',
  summary: 'List API keys',
  options: { revoked: { type: 'boolean', summary: 'Include revoked keys' } },
  async run({ revoked }, context) {
    const { output, signal } = context
    const listed = listApiKeys(await connect(context), { limit: 100, includeRevoked: revoked }, { signal })
    for await (const key of listed) await output.result(key, line(key))
  },
})

export const keysCreate = command({
  name: 'keys create',
  summary: 'Create an API key',
  description:
    'The key is printed once and not stored. A key that is created with another key never has more rights than that key,\n' +
    'and expires or is revoked with it.',
  arguments: { name: { summary: 'Name that describes the purpose' } },
  options: {
    scope: {
      type: 'string',
      value: 'SCOPE',
      multiple: true,
      summary: 'files:read, files:write, …; repeatable (default: all scopes)',
    },
    expiresIn: { type: 'string', value: 'DAYS', summary: 'Days until the key expires (default: never)' },
    vault: { type: 'string', value: 'VAULT', multiple: true, summary: 'Only this vault; repeatable' },
    prefix: {
      type: 'string',
      value: 'PREFIX',
      multiple: true,
      summary: 'Only paths with this prefix, such as 2026/; repeatable. The key cannot use jobs, archives, or links',
    },
    verb: {
      type: 'string',
      value: 'VERB',
      multiple: true,
      summary: 'Only read, upload, change, delete, or share; repeatable',
    },
    bytesPerDay: { type: 'string', value: 'BYTES', summary: 'Maximum bytes per day' },
    address: {
      type: 'string',
      value: 'ADDRESS',
      multiple: true,
      summary: 'Only from this IP address or network; repeatable',
    },
    s3: {
      type: 'boolean',
      summary: 'Also create credentials for the S3 API, and print their configuration instead of the key',
    },
    format: s3Format,
  },
  async run({ name, s3, format, scope, expiresIn, vault, prefix, verb, bytesPerDay, address }, context) {
    const { signal } = context
    if (format !== undefined && !s3) throw new UsageError('--format requires --s3')
    const client = await connect(context)
    const s3Api = s3 ? await readS3Api(client, signal) : null
    if (s3 && s3Api === null) throw new UsageError('This installation does not offer the S3 API')
    const vaultIds = await Promise.all(vault.map(async (one) => (await findVault(client, one, signal)).id))
    const limits = {
      ...(vaultIds.length > 0 && { vaultIds }),
      ...(prefix.length > 0 && { prefixes: prefix }),
      ...(verb.length > 0 && { verbs: verb as never }),
      ...(bytesPerDay !== undefined && { bytesPerDay: parseCount('bytes-per-day', bytesPerDay, 999_999_999_999) }),
      ...(address.length > 0 && { addresses: address }),
    }
    const input: CreateApiKeyInput = {
      name,
      ...(scope.length > 0 && { scopes: scope as never }),
      ...(expiresIn !== undefined && { expiresInDays: parseCount('expires-in', expiresIn, 3650) }),
      ...(Object.keys(limits).length > 0 && { limits }),
      ...(s3 && { s3 }),
    }
    await tellSecret(await createApiKey(client, input, { signal }), { s3Api, format }, context)
  },
})

export const keysRotate = command({
  name: 'keys rotate',
  summary: 'Replace an API key with a new one that has the same rights',
  description: 'Requires a login, or the key that created this key.',
  arguments: { id: { summary: 'ID of the API key' } },
  options: {
    overlap: { type: 'string', value: 'SECONDS', summary: 'Seconds for which the old key stays valid (default: 3600)' },
    format: s3Format,
  },
  async run({ id, overlap = '3600', format }, context) {
    const overlapSeconds = overlap === '0' ? 0 : parseCount('overlap', overlap, 30 * 86_400)
    const client = await connect(context)
    const { signal } = context
    const s3Api = await readS3Api(client, signal)
    await tellSecret(
      await rotateApiKey(client, { apiKeyId: id, overlapSeconds }, { signal }),
      { s3Api, format },
      context,
    )
  },
})

export const keysRevoke = command({
  name: 'keys revoke',
  summary: 'Revoke an API key and all keys created with it',
  arguments: { id: { summary: 'ID of the API key' } },
  async run({ id }, context) {
    const client = await connect(context)
    const revoked = await revokeApiKey(client, { apiKeyId: id }, { signal: context.signal })
    await context.output.result(revoked, line(revoked))
  },
})

/** Prints only the secret to stdout, so that it can be piped, and the explanation to stderr. */
async function tellSecret(
  key: CreatedApiKey,
  { s3Api, format = 'env' }: { s3Api: Awaited<ReturnType<typeof readS3Api>>; format: S3Format | undefined },
  { output }: Context,
): Promise<void> {
  const shown = key.s3 === undefined || s3Api === null ? key.key : s3Configuration(format, s3Api, key.s3)
  await output.result(key, shown)
  output.remark(`Save the key ${key.id} now: it is not shown again`)
}

function line({ id, keyPrefix, name, scopes, expiresAt, revoked_at: revokedAt }: ApiKey): string {
  const end = revokedAt ? `revoked ${revokedAt.slice(0, 10)}` : expiresAt ? `expires ${expiresAt.slice(0, 10)}` : ''
  return `${id}  ${keyPrefix}…  ${end.padEnd(18)}  ${name}  ${scopes?.join(' ') ?? 'all scopes'}`
}
