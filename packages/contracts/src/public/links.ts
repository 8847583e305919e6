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
/** Leaves space for names after the prefix. */
const UPLOAD_PREFIX_BYTES_MAX = 700

const uploadBounds = z.object({
  maxFiles: z.int().min(1).max(10_000),
  maxFileBytes: z.int().min(1).max(BYTES_MAX).describe('Largest file; the limit of one request also applies'),
  maxBytes: z.int().min(1).max(BYTES_MAX).describe('Largest sum of all files'),
  mimeTypes: z
    .array(mimeTypeFilter)
    .nullable()
    .describe('Accepted types, such as `image/*`, as declared by the sender; null: any'),
})

export const received = z
  .enum(['review', 'publish'])
  .describe(
    '`review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them immediately',
  )

export const link = z
  .object({
    id: uuid,
    kind: z
      .enum(['file', 'folder', 'upload'])
      .describe('What the link reads; `upload`: the link receives files into the folder and reads none'),
    fileId: uuid.nullable().describe('For links to a file'),
    path: z
      .string()
      .nullable()
      .describe('For links to a file: its current path, also in the trash. Null without the right to read links'),
    vaultId: uuid.nullable().describe('For links to a folder'),
    prefix: z.string().nullable().describe('For links to a folder: the prefix of its files’ paths'),
    state: z
      .enum(['usable', 'spent', 'expired', 'revoked'])
      .describe('State of the link itself: a usable link is 404 while its file or vault is in the trash'),
    hasPassword: z.boolean(),
    expiresAt: instant.nullable(),
    maxDownloads: z.int().nullable(),
    downloads: z.int().describe('Downloads that have begun'),
    lastUsedAt: instant.nullable().describe('When the last download began'),
    upload: uploadBounds
      .extend({ received, files: z.int().describe('Received so far'), bytes: z.int() })
      .nullable()
      .describe('Limits of an upload link'),
    keyId: uuid.nullable().describe('The API key that created the link'),
    createdAt: instant,
    revokedAt: instant.nullable(),
  })
  .meta({ id: 'Link' })
export type Link = z.infer<typeof link>

const revokedLink = link.partial().required({ id: true, state: true, revokedAt: true }).meta({
  id: 'RevokedLink',
  description: 'Without the right to read links, only `id`, `state`, and `revokedAt`',
})

const createdLink = link
  .extend({
    url: z.string().describe('The page for people. Only this response has the token; the service stores its hash'),
    contentUrl: z.string().describe('The bytes; for a folder, append the path of a file'),
  })
  .meta({ id: 'CreatedLink' })

const terms = {
  password: plainText(8, 256).nullish().describe('Required to open the link; the service stores its Argon2id hash'),
  expiresInSeconds: z.int().min(60).max(YEARS_10_SECONDS).nullish().describe('Omitted or null: until revoked'),
  maxDownloads: z.int().min(1).max(1_000_000_000).nullish().describe('Omitted or null: any number'),
}

export const createFileLink = endpoint({
  method: 'POST',
  path: '/api/files/:fileId/links',
  ...sharesLinks,
  summary: 'Create a link to a file',
  description:
    'Everyone with the link can read the file without an account, until the link expires, is used up, or is revoked. The link follows the file when it moves, but not a file that replaces it.',
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
  description: 'Newest first. Inactive links stay listed for a week.',
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
    'Shares all current and future files whose paths begin with `prefix`, and nothing else. With `upload`, people upload files there instead and can read none.',
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
        .describe('Creates a link that receives files into the folder and reads nothing. Public vaults only'),
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
  description: 'Links to files and folders, newest first.',
  query: z.object({ ...pageQuery, keyId: uuid.optional().describe('Created with this API key') }),
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
  description: 'Requests that begin after the response are rejected. Cannot be undone; can be repeated.',
  params: linkParams,
  success: { status: 200, schema: revokedLink },
  errors: ['not_found'],
})
