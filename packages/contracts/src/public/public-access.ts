import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { file, fileParams } from './files.ts'
import { uuid } from './id.ts'
import { fileSortQuery, nextCursor, pageQuery } from './list.ts'
import { anyPath, folder, foldersInOrder, hasFoldersInOrder, pathQuery } from './paths.ts'
import { vault } from './vaults.ts'

const forAnyone = { service: 'files', access: 'public' } as const

export const publicFile = file
  .pick({
    id: true,
    name: true,
    path: true,
    mimeType: true,
    sizeBytes: true,
    vaultId: true,
    status: true,
    storageNetworkBlobId: true,
    checksumSha256: true,
    createdAt: true,
    metadata: true,
    tags: true,
  })
  .meta({ id: 'PublicFile' })

export const publicFileBytes = endpoint({
  method: 'GET',
  path: '/api/public/files/:fileId',
  ...forAnyone,
  summary: 'Download a public file',
  description: 'No credentials needed. Supports single ranges and conditional requests.',
  params: fileParams,
  success: { status: 200, bytes: true },
  errors: ['not_found', 'range_not_satisfiable', 'unavailable', 'restoring'],
})

export const publicBlobBytes = endpoint({
  method: 'GET',
  path: '/api/public/blobs/:blobId',
  ...forAnyone,
  summary: 'Download by blob ID',
  description: 'Finds a file in a public vault by the ID of its content on a storage network.',
  params: z.object({ blobId: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/) }),
  success: { status: 200, bytes: true },
  errors: ['not_found', 'range_not_satisfiable', 'unavailable', 'restoring'],
})

const vaultParams = z.object({ userId: uuid, vaultSlug: z.string().regex(/^[a-z0-9-]{1,80}$/) })

export const publicContent = endpoint({
  method: 'GET',
  path: '/api/public/vaults/:userId/:vaultSlug/content/*path',
  ...forAnyone,
  summary: 'Download from a public vault by path',
  description: 'The newest confirmed file at the path. No credentials needed.',
  params: vaultParams.extend({ path: anyPath }),
  success: { status: 200, bytes: true },
  errors: ['not_found', 'range_not_satisfiable', 'unavailable', 'restoring'],
})

export const publicVault = endpoint({
  method: 'GET',
  path: '/api/public/vaults/:userId/:vaultSlug',
  ...forAnyone,
  summary: 'Browse a public vault',
  description: 'The vault and its readable files. No credentials needed.',
  params: vaultParams,
  query: z.object({ ...pageQuery, ...fileSortQuery, ...pathQuery }).refine(hasFoldersInOrder, foldersInOrder),
  success: {
    status: 200,
    schema: z.object({
      vault: vault.pick({ id: true, name: true, description: true, slug: true }).meta({ id: 'PublicVault' }),
      files: z.array(publicFile),
      folders: z.array(folder).optional(),
      nextCursor,
    }),
  },
  errors: ['not_found'],
})
