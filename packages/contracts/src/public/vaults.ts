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
    isExport: z.boolean().describe('Made by an export, whose files it holds: private, but not encrypted by a client'),
    fileCount: z.int(),
    storageBytes: z.int(),
    filesExpireAfterSeconds: z.int().nullable(),
    keyId: z
      .string()
      .nullable()
      .describe(
        'Of a private vault: which key its clients encrypt under, if one has said so; it tells nothing of the key',
      ),
    createdAt: instant,
    updatedAt: instant,
    deletedAt: instant.nullable(),
  })
  .meta({ id: 'Vault' })
export type Vault = z.infer<typeof vault>

const writtenVault = vault.partial().required({ id: true }).meta({
  id: 'WrittenVault',
  description: 'A caller that may not read vaults gets `id` and `deletedAt` alone',
})

export const vaultParams = z.object({ vaultId: uuid })

/** A minute to a hundred years. */
export const filesExpireAfterSeconds = z
  .int()
  .min(60)
  .max(3_155_760_000)
  .nullish()
  .describe(
    'How long after its request a new file goes to the trash by itself, unless that says otherwise; null: never',
  )

const keyId = z.string().regex(/^[\w-]{11}$/, 'Must be the id of a vault key: 11 letters of base64url')

const name = plainText(1, 128).meta({ examples: ['Holiday pictures'] })
const description = plainText(0, 1000).meta({ examples: ['Summer 2026'] })

export const createVault = endpoint({
  method: 'POST',
  path: '/api/vaults',
  service: 'files',
  access: 'vaults:write',
  summary: 'Create a vault',
  description:
    'A public vault can be read by anyone. A private one holds files that your client encrypted before the upload. Visibility is final.',
  headers: idempotencyHeaders,
  body: z.object({ id: givenId, name, visibility, description: description.optional(), filesExpireAfterSeconds }),
  success: { status: 201, schema: vault },
  errors: ['not_found', 'id_taken', 'idempotency_key_reused'],
})

export const listVaults = endpoint({
  method: 'GET',
  path: '/api/vaults',
  ...readsVaults,
  summary: 'List vaults',
  query: z.object({
    ...pageQuery,
    ...sortQuery,
    trashed: flag.optional().describe('List what is in the trash instead'),
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
    'Changes the name, the description or how long new files stay; those that are there stay as they are. Visibility and slug never change. `keyId` is set once: 409 `state_conflict` where the vault has another key, so that of two clients that make a key at once one is told, unless `replacesKeyId` names that key.',
  params: vaultParams,
  body: z.object({
    name: name.optional(),
    description: description.optional(),
    filesExpireAfterSeconds,
    keyId: keyId.optional().describe('Of a private vault: the key that its files are encrypted under'),
    replacesKeyId: keyId.optional().describe('The key of before, where `keyId` is to take its place'),
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
    'Refused while the vault holds files, unless `force` is set; then they go with it. The default vault stays.',
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
  description: 'Takes the vault and the files that went with it back out of the trash.',
  params: vaultParams,
  success: { status: 200, schema: writtenVault },
  errors: ['not_found', 'state_conflict'],
})
