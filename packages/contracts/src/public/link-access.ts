import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { digestHeaders } from './content.ts'
import { received } from './links.ts'
import { instant, nextCursor, pageQuery } from './list.ts'
import { anyPath, folder } from './paths.ts'

/** The cookie by which a browser shows that the password was right, and that its download was counted. */
export const linkCookie = 'tideport_link'

/** What anyone with the link may know of a file: nothing that names it elsewhere. */
const linkedFile = z
  .object({
    path: z.string().describe('Below the folder that the link leads to; of a link to a file, its name'),
    mimeType: z.string(),
    sizeBytes: z.int(),
    checksumSha256: z.string().nullable(),
    encryptionIv: z.string().nullable(),
    plaintextSizeBytes: z.int().nullable(),
    plaintextChecksumSha256: z.string().nullable(),
  })
  .meta({ id: 'LinkedFile' })

export const openedLink = z
  .object({
    kind: z.enum(['file', 'folder', 'upload']),
    name: z.string().describe('Of the file or the folder'),
    isEncrypted: z.boolean().describe('The bytes are those that a client encrypted, whose key is not here'),
    expiresAt: instant.nullable(),
    downloadsLeft: z.int().nullable().describe('Null: any number'),
    takes: z
      .object({
        filesLeft: z.int(),
        maxFileBytes: z.int().describe('Of the next file'),
        mimeTypes: z.array(z.string()).nullable(),
        received,
      })
      .nullable()
      .describe('Of a link to put files there'),
    files: z.array(linkedFile),
    folders: z.array(folder),
    nextCursor,
  })
  .meta({ id: 'OpenedLink' })

const unlockedLink = z
  .object({
    url: z.string().describe('The page of the link'),
    unlockedUntil: instant.describe('When the cookie expires'),
  })
  .meta({ id: 'UnlockedLink' })

const token = z.string().describe('What follows `/s/` in the link')
const linkParams = z.object({ token })

const shared = { service: 'files', access: 'public', cookie: linkCookie } as const

export const linkPage = endpoint({
  method: 'GET',
  path: '/s/:token',
  ...shared,
  summary: 'Open a link',
  description:
    'A page with name, size and a way to download; for folders with what is in them. Looking at it is no download. A link that ended, that nobody made or that leads nowhere is the same 404.',
  params: linkParams,
  query: z.object({
    ...pageQuery,
    path: anyPath.optional().describe('A folder below the one that the link leads to, with a slash at its end'),
  }),
  success: { status: 200, page: true, orJson: openedLink },
  errors: ['not_found', 'password_required'],
})

export const unlockLink = endpoint({
  method: 'POST',
  path: '/s/:token',
  ...shared,
  takesForm: true,
  summary: 'Give the password of a link',
  description:
    'The right password sets a cookie for this link, valid for four hours. A program that accepts JSON and no HTML gets 200; a form gets 303 to the page of the link. Tries are limited for each address and for the link. A try counts only if its password was wrong.',
  params: linkParams,
  body: z.object({ password: z.string().max(1024) }),
  success: { status: 303, page: true, orJson: unlockedLink },
  errors: ['not_found', 'wrong_password'],
})

const bytes = {
  method: 'GET',
  ...shared,
  success: { status: 200, bytes: true },
  errors: ['not_found', 'password_required', 'range_not_satisfiable', 'unavailable', 'restoring'],
} as const

const query = z.object({
  preview: z
    .string()
    .optional()
    .describe('Shown by the page of the link, and no download; without effect where downloads are bounded'),
})

export const linkContent = endpoint({
  ...bytes,
  path: '/s/:token/content',
  summary: 'Download by a link',
  description:
    'The bytes of the file that the link leads to. A GET that begins at byte 0 is a download. Where downloads are bounded, one that begins later is one too, unless it has the cookie of a download of the same file that began within a day.',
  params: linkParams,
  query,
})

export const linkedContent = endpoint({
  ...bytes,
  path: '/s/:token/content/*path',
  summary: 'Download from a folder by a link',
  description: 'The same of the file that was put last at a path below the folder that the link leads to.',
  params: linkParams.extend({ path: anyPath }),
  query,
})

const receivedFile = z
  .object({ name: z.string().describe('As it was sent'), sizeBytes: z.int(), checksumSha256: z.string() })
  .meta({ id: 'ReceivedFile' })

const uploading = {
  ...shared,
  takesBytes: true,
  headers: z.object(digestHeaders),
  errors: [
    'digest_mismatch',
    'path_too_long',
    'not_found',
    'password_required',
    'request_timeout',
    'too_large',
    'unsupported_media_type',
    'unavailable',
  ],
} as const

export const putLinkedContent = endpoint({
  method: 'PUT',
  ...uploading,
  path: '/s/:token/content/*path',
  summary: 'Send a file by an upload link',
  description:
    'The bytes are the request’s body; its `Content-Type` is the file’s. `path` is a name without folders. The file stands beside what is there, under a name of its own. Also by `curl -T`.',
  params: linkParams.extend({ path: anyPath }),
  success: { status: 201, schema: receivedFile },
})

export const postLinkContent = endpoint({
  method: 'POST',
  ...uploading,
  path: '/s/:token/content',
  summary: 'Send a file by the form of an upload link',
  description:
    'multipart/form-data, of which the first file is taken. A page answers; JSON whoever accepts that and no HTML.',
  params: linkParams,
  success: { status: 200, page: true, orJson: receivedFile },
})
