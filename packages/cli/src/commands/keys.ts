import { type ApiKey, type CreateApiKeyInput, type CreatedApiKey, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '@tideport/sdk' // biome-ignore format: one line
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { connect } from '../profile/connect.ts'
import { findVault } from '../remote/find-vault.ts'
import { parseCount } from '../terminal/amounts.ts'

export const keys = command({
  name: 'keys',
  summary: 'List API keys',
  options: { revoked: { type: 'boolean', summary: 'Those that were revoked as well' } },
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
    'The key is printed once and kept nowhere. Made with a key it has no more rights than that, and ends with it.',
  arguments: { name: { summary: 'What it is for' } },
  options: {
    scope: {
      type: 'string',
      value: 'SCOPE',
      multiple: true,
      summary: 'files:read, files:write, …; may be repeated; all unless given',
    },
    expiresIn: { type: 'string', value: 'DAYS', summary: 'When it ends; never unless given' },
    vault: { type: 'string', value: 'VAULT', multiple: true, summary: 'For this vault alone; may be repeated' },
    prefix: {
      type: 'string',
      value: 'PREFIX',
      multiple: true,
      summary: 'For paths alone that begin so, as 2026/; may be repeated. Closed to jobs, archives and links',
    },
    verb: {
      type: 'string',
      value: 'VERB',
      multiple: true,
      summary: 'For read, upload, change, delete or share alone; may be repeated',
    },
    bytesPerDay: { type: 'string', value: 'BYTES', summary: 'For so many bytes a day' },
    address: {
      type: 'string',
      value: 'ADDRESS',
      multiple: true,
      summary: 'From this address or network alone; may be repeated',
    },
  },
  async run({ name, scope, expiresIn, vault, prefix, verb, bytesPerDay, address }, context) {
    const { signal } = context
    const client = await connect(context)
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
    }
    await tellSecret(await createApiKey(client, input, { signal }), context)
  },
})

export const keysRotate = command({
  name: 'keys rotate',
  summary: 'Replace an API key by one like it',
  description: 'With a login, or with the key that it was made with.',
  arguments: { id: { summary: 'Its id' } },
  options: {
    overlap: { type: 'string', value: 'SECONDS', summary: 'How long the old one works still; an hour unless given' },
  },
  async run({ id, overlap = '3600' }, context) {
    const overlapSeconds = overlap === '0' ? 0 : parseCount('overlap', overlap, 30 * 86_400)
    const client = await connect(context)
    await tellSecret(await rotateApiKey(client, { apiKeyId: id, overlapSeconds }, { signal: context.signal }), context)
  },
})

export const keysRevoke = command({
  name: 'keys revoke',
  summary: 'Revoke an API key, and all that were made with it',
  arguments: { id: { summary: 'Its id' } },
  async run({ id }, context) {
    const client = await connect(context)
    const revoked = await revokeApiKey(client, { apiKeyId: id }, { signal: context.signal })
    await context.output.result(revoked, line(revoked))
  },
})

/** The secret alone is data, so that it can go into a pipe; what it is, is told beside it. */
async function tellSecret(key: CreatedApiKey, { output }: Context): Promise<void> {
  await output.result(key, key.key)
  output.remark(`This is the only time that the key of ${key.id} is shown`)
}

function line({ id, keyPrefix, name, scopes, expiresAt, revoked_at: revokedAt }: ApiKey): string {
  const end = revokedAt ? `revoked ${revokedAt.slice(0, 10)}` : expiresAt ? `ends ${expiresAt.slice(0, 10)}` : ''
  return `${id}  ${keyPrefix}…  ${end.padEnd(18)}  ${name}  ${scopes?.join(' ') ?? 'all scopes'}`
}
