import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { givenId, uuid } from './id.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { flag, instant, nextCursor, pageQuery, sortQuery } from './list.ts'
import { plainText } from './text.ts'

const readsVaults = { service: 'files', access: 'vaults:read', verb: 'read' } as const
const changesVaults = { service: 'files', access: 'vaults:write', verb: 'change' } as const

export const visibility = z.enum(['public', 'private'])
export type Visibility = z.infer<typeof visibility>

export const vault = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string(),
    visibility,
    slug: z.string(),
    isDefault: z.boolean(),
    isExport: z
      .boolean()
      .describe('Created by an export and contains its files: private, but not encrypted by a client'),
    fileCount: z.int(),
    storageBytes: z.int(),
    filesExpireAfterSeconds: z.int().nullable(),
    keyId: z
      .string()
      .nullable()
      .describe('Private vaults: identifies the key with which clients encrypt, if set. Reveals nothing about the key'),
    createdAt: instant,
    updatedAt: instant,
    deletedAt: instant.nullable(),
  })
  .meta({ id: 'Vault' })
export type Vault = z.infer<typeof vault>

const writtenVault = vault.partial().required({ id: true }).meta({
  id: 'WrittenVault',
  description: 'Without the right to read vaults, only `id` and `deletedAt`',
})

export const vaultParams = z.object({ vaultId: uuid })

/** A minute to a hundred years. */
export const filesExpireAfterSeconds = z
  .int()
  .min(60)
  .max(3_155_760_000)
  .nullish()
  .describe(
    'Default for new files: the time from their request until they automatically move to the trash; null: never',
  )

const keyId = z.string().regex(/^[\w-]{11}$/, 'Must be the ID of a vault key: 11 characters of base64url')

/** Also a name of an S3 bucket. */
export const slug = z
  .string()
  .min(3)
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/, {
    error: 'Must be lower-case letters, digits, hyphens, and dots, beginning and ending with a letter or digit',
  })
  .refine((text) => !/^\d+(?:\.\d+){3}$/.test(text), { error: 'Must not be an IP address' })
  .describe('Part of public URLs, and the name of the S3 bucket; unique in the account. Default: derived from the name')
  .meta({ examples: ['holiday-pictures'] })

const name = plainText(1, 128).meta({ examples: ['Holiday pictures'] })
const description = plainText(0, 1000).meta({ examples: ['Summer 2026'] })

export const createVault = endpoint({
  method: 'POST',
  path: '/api/vaults',
  service: 'files',
  access: 'vaults:write',
  summary: 'Create a vault',
  description:
    'Everyone can read a public vault. A private vault has files that your client encrypted before the upload. Visibility never changes.',
  headers: idempotencyHeaders,
  body: z.object({
    id: givenId,
    name,
    slug: slug.optional(),
    visibility,
    description: description.optional(),
    filesExpireAfterSeconds,
  }),
  success: { status: 201, schema: vault },
  errors: ['not_found', 'slug_taken', 'id_taken', 'idempotency_key_reused'],
})

export const listVaults = endpoint({
  method: 'GET',
  path: '/api/vaults',
  ...readsVaults,
  summary: 'List vaults',
  query: z.object({
    ...pageQuery,
    ...sortQuery,
    trashed: flag.optional().describe('List vaults in the trash instead'),
  }),
  success: { status: 200, schema: z.object({ vaults: z.array(vault), nextCursor }) },
  errors: [],
})

export const readVault = endpoint({
  method: 'GET',
  path: '/api/vaults/:vaultId',
  ...readsVaults,
  summary: 'Read a vault',
  params: vaultParams,
  success: { status: 200, schema: vault },
  errors: ['not_found'],
})

export const updateVault = endpoint({
  method: 'PATCH',
  path: '/api/vaults/:vaultId',
  ...changesVaults,
  summary: 'Update a vault',
  description:
    'Changes the name, the description, or the expiry of new files; existing files keep theirs. Visibility and slug never change. `keyId` can be set once: 409 `state_conflict` if the vault has another key, unless `replacesKeyId` names that key. So of two clients that create a key at the same time, one gets the error.',
  params: vaultParams,
  body: z.object({
    name: name.optional(),
    description: description.optional(),
    filesExpireAfterSeconds,
    keyId: keyId.optional().describe('Private vaults: the key with which its files are encrypted'),
    replacesKeyId: keyId.optional().describe('The current key that `keyId` replaces'),
    visibility: z.undefined({ error: 'Visibility is set at creation and cannot be changed' }).optional(),
  }),
  success: { status: 200, schema: writtenVault },
  errors: ['not_found', 'state_conflict'],
})

export const deleteVault = endpoint({
  method: 'DELETE',
  path: '/api/vaults/:vaultId',
  service: 'files',
  access: 'vaults:write',
  verb: 'delete',
  summary: 'Move a vault to the trash',
  description:
    'Rejected while the vault has files, unless `force` is set; then they move with it. The default vault cannot be deleted.',
  params: vaultParams,
  query: z.object({ force: flag.default(false) }),
  success: { status: 200, schema: writtenVault },
  errors: ['not_found', 'vault_not_empty', 'state_conflict'],
})

export const restoreVault = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/vaults/:vaultId/restore',
  ...changesVaults,
  summary: 'Restore a vault',
  description:
    'Restores the vault and the files that were trashed with it. If another vault has its slug now, it gets the next free one.',
  params: vaultParams,
  success: { status: 200, schema: writtenVault },
  errors: ['not_found', 'state_conflict'],
})
