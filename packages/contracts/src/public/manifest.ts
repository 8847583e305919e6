import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { copy } from './file-actions.ts'
import { file } from './files.ts'
import { uuid } from './id.ts'
import { instant, pageQuery } from './list.ts'
import { folder } from './paths.ts'
import { vault } from './vaults.ts'

/** The lines of a manifest, version 1 (docs/guides/leave.md): one start line, vaults, files, one `end` line. */
export const manifestLine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('tideport-manifest'),
    version: z.literal(1),
    accountId: uuid,
    createdAt: instant,
    networks: z.array(z.object({ name: z.string(), driver: z.string() })),
  }),
  vault.extend({ type: z.literal('vault') }),
  z
    .object({ type: z.literal('folder'), vaultId: uuid, path: folder.shape.path })
    .describe('A kept folder, which may be empty'),
  file.extend({
    type: z.literal('file'),
    key: z.string().describe('Name of the object in the S3 API; mostly the path'),
    headers: z
      .record(z.string(), z.string())
      .describe('Response headers that an S3 client stored with the object, by lower-case name'),
    isLatest: z.boolean().describe('Whether reading the path returns this file; several files may have the path'),
    copies: z.array(copy.extend({ reference: z.string().describe('Name of the copy on its network') })),
    parts: z
      .array(
        z.object({
          name: z.string().describe('The CAR'),
          offset: z.int().describe('Offset of the blocks in the CAR: leaves in order, then the nodes of their tree'),
          length: z.int(),
          cid: z.string().describe('Root of the tree'),
          sizeBytes: z.int().describe('Size of the file'),
        }),
      )
      .optional()
      .describe('In an export: the places of the bytes, in order; omitted: the bytes were lost'),
    cursor: z.string().optional().describe('In API responses: cursor that continues after this line'),
  }),
  z.object({ type: z.literal('end'), vaults: z.int(), files: z.int(), bytes: z.int() }),
])
export type ManifestLine = z.infer<typeof manifestLine>

export const readManifest = endpoint({
  method: 'GET',
  path: '/api/account/manifest',
  service: 'files',
  access: 'files:read',
  summary: 'Read the manifest of your account',
  description:
    'One JSON object per line: your vaults and all confirmed files outside the trash, with their records and copies. With it, you can read all files from the storage networks without this service. The last line has the type `end`. Without that line, the manifest is incomplete. Repeat the request with the `cursor` of the last complete line that has one. Append the response after that line.',
  query: z.object({
    cursor: pageQuery.cursor.describe('From a line of an incomplete manifest; the response continues after it'),
  }),
  success: { status: 200, bytes: true },
  errors: ['unavailable'],
})
