import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { fileParams } from './files.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery } from './list.ts'
import { mimeTypeFilter } from './mime-type.ts'
import { folderPath, tooLong } from './paths.ts'
import { plainText } from './text.ts'
import { vaultParams } from './vaults.ts'

const sharesLinks = { service: 'files', access: 'links:write', verb: 'share' } as const
const readsLinks = { service: 'files', access: 'links:read', verb: 'read' } as const

const YEARS_10_SECONDS = 315_360_000
const BYTES_MAX = 2 ** 50
/** So that names fit behind it. */
const UPLOAD_PREFIX_BYTES_MAX = 700

const uploadBounds = z.object({
  maxFiles: z.int().min(1).max(10_000),
  maxFileBytes: z.int().min(1).max(BYTES_MAX).describe('Of one file; what one call takes is a bound of its own'),
  maxBytes: z.int().min(1).max(BYTES_MAX).describe('Of all of them'),
  mimeTypes: z
    .array(mimeTypeFilter)
    .nullable()
    .describe('Types as whoever sends a file says, such as `image/*`; null: any'),
})

export const received = z
  .enum(['review', 'publish'])
  .describe(
    '`review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them at once',
  )

export const link = z
  .object({
    id: uuid,
    kind: z
      .enum(['file', 'folder', 'upload'])
      .describe('What one reads by it; `upload`: files are put into the folder, and none is read'),
    fileId: uuid.nullable().describe('Of a link to a file'),
    path: z
      .string()
      .nullable()
      .describe(
        'Of a link to a file: where that is now, also in the trash. Null as well for a caller that may not read links',
      ),
    vaultId: uuid.nullable().describe('Of a link to a folder'),
    prefix: z.string().nullable().describe('Of a link to a folder: what the paths of its files begin with'),
    state: z
      .enum(['usable', 'spent', 'expired', 'revoked'])
      .describe('Of the link alone: one that is usable leads nowhere while its file or vault is in the trash'),
    hasPassword: z.boolean(),
    expiresAt: instant.nullable(),
    maxDownloads: z.int().nullable(),
    downloads: z.int().describe('Downloads that have begun'),
    lastUsedAt: instant.nullable().describe('When the last download began'),
    upload: uploadBounds
      .extend({ received, files: z.int().describe('Taken so far'), bytes: z.int() })
      .nullable()
      .describe('What a link to put files into the folder takes'),
    keyId: uuid.nullable().describe('The API key that it was made with'),
    createdAt: instant,
    revokedAt: instant.nullable(),
  })
  .meta({ id: 'Link' })
export type Link = z.infer<typeof link>

const revokedLink = link.partial().required({ id: true, state: true, revokedAt: true }).meta({
  id: 'RevokedLink',
  description: 'A caller that may not read links gets `id`, `state` and `revokedAt` alone',
})

const createdLink = link
  .extend({
    url: z.string().describe('The page for people. The token in it is in this answer alone: we keep its hash'),
    contentUrl: z.string().describe('The bytes; of a folder, what the paths of its files are put behind'),
  })
  .meta({ id: 'CreatedLink' })

const terms = {
  password: plainText(8, 256).nullish().describe('Asked of whoever opens the link; we keep its Argon2id hash'),
  expiresInSeconds: z.int().min(60).max(YEARS_10_SECONDS).nullish().describe('Omitted or null: until it is revoked'),
  maxDownloads: z.int().min(1).max(1_000_000_000).nullish().describe('Omitted or null: any number'),
}

export const createFileLink = endpoint({
  method: 'POST',
  path: '/api/files/:fileId/links',
  ...sharesLinks,
  summary: 'Create a link to a file',
  description:
    'Whoever has the link reads the file, without an account, until the link ends: by its time, its downloads or its revocation. It leads to this very file wherever that is moved, not to one that replaces it.',
  params: fileParams,
  body: z.object(terms),
  success: { status: 201, schema: createdLink },
  errors: ['not_found', 'outside_key_limits', 'too_many_links'],
})

export const listFileLinks = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/links',
  ...readsLinks,
  summary: 'List the links to a file',
  description: 'Newest first; those that have ended for a week after that.',
  params: fileParams,
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ links: z.array(link), nextCursor }) },
  errors: ['not_found'],
})

export const createFolderLink = endpoint({
  method: 'POST',
  path: '/api/vaults/:vaultId/links',
  ...sharesLinks,
  summary: 'Create a link to a folder',
  description:
    'The same for all files whose paths begin with `prefix`, those to come included. What lies beside them is not told. With `upload` people put files there instead, and learn of none.',
  params: vaultParams,
  body: z
    .object({
      prefix: folderPath,
      ...terms,
      upload: uploadBounds
        .extend({
          mimeTypes: z.array(mimeTypeFilter).min(1).max(50).nullish().describe('Omitted or null: any'),
          received: received.default('review'),
        })
        .nullish()
        .describe('Makes a link by which files are put into the folder, and nothing is read. Of public vaults'),
    })
    .refine(({ upload, maxDownloads }) => upload == null || maxDownloads == null, {
      path: ['maxDownloads'],
      error: 'Must not be sent with upload',
    })
    .refine(
      ({ upload, prefix }) => upload == null || new TextEncoder().encode(prefix).length <= UPLOAD_PREFIX_BYTES_MAX,
      {
        path: ['prefix'],
        error: `Must be at most ${UPLOAD_PREFIX_BYTES_MAX} bytes for an upload link`,
        params: tooLong.params,
      },
    ),
  success: { status: 201, schema: createdLink },
  errors: ['not_found', 'path_too_long', 'outside_key_limits', 'visibility_mismatch', 'too_many_links'],
})

export const listFolderLinks = endpoint({
  method: 'GET',
  path: '/api/vaults/:vaultId/links',
  ...readsLinks,
  summary: 'List the links to folders of a vault',
  params: vaultParams,
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ links: z.array(link), nextCursor }) },
  errors: ['not_found'],
})

export const listLinks = endpoint({
  method: 'GET',
  path: '/api/links',
  service: 'files',
  access: 'links:read',
  summary: 'List all links',
  description: 'To files and to folders, newest first.',
  query: z.object({ ...pageQuery, keyId: uuid.optional().describe('Made with this API key') }),
  success: { status: 200, schema: z.object({ links: z.array(link), nextCursor }) },
  errors: [],
})

const linkParams = z.object({ linkId: uuid })

export const readLink = endpoint({
  method: 'GET',
  path: '/api/links/:linkId',
  ...readsLinks,
  summary: 'Read a link’s record',
  params: linkParams,
  success: { status: 200, schema: link },
  errors: ['not_found'],
})

export const revokeLink = endpoint({
  method: 'DELETE',
  path: '/api/links/:linkId',
  ...sharesLinks,
  summary: 'Revoke a link',
  description: 'No request that begins after the answer is served. It cannot be undone, and can be repeated.',
  params: linkParams,
  success: { status: 200, schema: revokedLink },
  errors: ['not_found'],
})
