import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { digestHeaders } from './content.ts'
import { received } from './links.ts'
import { instant, nextCursor, pageQuery } from './list.ts'
import { anyPath, folder } from './paths.ts'

/** The cookie that proves a correct password and a counted download. */
export const linkCookie = 'tideport_link'

/** The facts of a file that everyone with the link may read. No IDs or paths outside the link. */
const linkedFile = z
  .object({
    path: z.string().describe('Path below the linked folder; for a link to a file, its name'),
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
    name: z.string().describe('Name of the file or the folder'),
    isEncrypted: z.boolean().describe('A client encrypted the bytes; the response does not have the key'),
    expiresAt: instant.nullable(),
    downloadsLeft: z.int().nullable().describe('Null: any number'),
    takes: z
      .object({
        filesLeft: z.int(),
        maxFileBytes: z.int().describe('Path of the next file'),
        mimeTypes: z.array(z.string()).nullable(),
        received,
      })
      .nullable()
      .describe('Only for upload links'),
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

const token = z.string().describe('The part after `/s/` in the link')
const linkParams = z.object({ token })

const shared = { service: 'files', access: 'public', cookie: linkCookie } as const

export const linkPage = endpoint({
  method: 'GET',
  path: '/s/:token',
  ...shared,
  summary: 'Open a link',
  description:
    'A page with name, size, and download; for folders, with their contents. Opening the page is not a download. Expired, unknown, and dangling links are the same 404.',
  params: linkParams,
  query: z.object({
    ...pageQuery,
    path: anyPath.optional().describe('A folder below the linked folder, with a slash at its end'),
  }),
  success: { status: 200, page: true, orJson: openedLink },
  errors: ['not_found', 'password_required'],
})

export const unlockLink = endpoint({
  method: 'POST',
  path: '/s/:token',
  ...shared,
  takesForm: true,
  summary: 'Send the password of a link',
  description:
    'The right password sets a cookie for this link, valid for four hours. A program that accepts JSON and no HTML gets 200; a form gets 303 to the page of the link. Wrong passwords are limited for each address and for the link.',
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
    .describe('A preview on the page of the link, which is not a download; no effect with `maxDownloads`'),
})

export const linkContent = endpoint({
  ...bytes,
  path: '/s/:token/content',
  summary: 'Download through a link',
  description:
    'The bytes of the linked file. A GET from byte 0 is a download. With `maxDownloads`, later ranges are downloads too, unless they have the cookie of a download of the same file from the last 24 hours.',
  params: linkParams,
  query,
})

export const linkedContent = endpoint({
  ...bytes,
  path: '/s/:token/content/*path',
  summary: 'Download from a folder through a link',
  description: 'The bytes of the newest file at a path below the linked folder.',
  params: linkParams.extend({ path: anyPath }),
  query,
})

const receivedFile = z
  .object({
    name: z.string().describe('The name that the sender sent'),
    sizeBytes: z.int(),
    checksumSha256: z.string(),
  })
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
  summary: 'Upload a file through an upload link',
  description:
    'The request body is the bytes, and its `Content-Type` is the file’s type. `path` is a name without folders. The file gets a unique name and replaces nothing. `curl -T` works.',
  params: linkParams.extend({ path: anyPath }),
  success: { status: 201, schema: receivedFile },
})

export const postLinkContent = endpoint({
  method: 'POST',
  ...uploading,
  path: '/s/:token/content',
  summary: 'Upload a file with the form of an upload link',
  description:
    'Stores the first file of multipart/form-data. Returns a page, or JSON to programs that accept JSON and no HTML.',
  params: linkParams,
  success: { status: 200, page: true, orJson: receivedFile },
})
