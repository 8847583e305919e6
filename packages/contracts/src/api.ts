import type { Endpoint } from './endpoint.ts'
import { readAccount } from './http/account.ts'
import { listAccountEvents } from './http/account-events.ts'
import { createApiKey, listApiKeys, readApiKey, revokeApiKey } from './http/api-keys.ts'
import { readTimeline, rehydrateFile, retryFile, updateFile } from './http/file-actions.ts'
import { confirmUpload, downloadFile, listFiles, readFile, requestUpload, signedDownload } from './http/files.ts'
import { publicBlobBytes, publicFileBytes, publicVault } from './http/public.ts'
import { deleteFile, emptyTrash, listTrash, restoreFile } from './http/trash.ts'
import { listUploadedParts, renewUploadUrls } from './http/uploads.ts'
import { createVault, deleteVault, listVaults, readVault, restoreVault, updateVault } from './http/vaults.ts'
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  readDelivery,
  readWebhook,
  redeliver,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './http/webhooks.ts'

/** The whole public API: the gateway forwards exactly these, OpenAPI documents exactly these. */
export const api = {
  readAccount,
  listAccountEvents,
  createVault,
  listVaults,
  readVault,
  updateVault,
  deleteVault,
  restoreVault,
  requestUpload,
  renewUploadUrls,
  listUploadedParts,
  confirmUpload,
  listFiles,
  readFile,
  updateFile,
  retryFile,
  rehydrateFile,
  readTimeline,
  downloadFile,
  signedDownload,
  deleteFile,
  restoreFile,
  listTrash,
  emptyTrash,
  publicFileBytes,
  publicBlobBytes,
  publicVault,
  createApiKey,
  listApiKeys,
  readApiKey,
  revokeApiKey,
  createWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  listDeliveries,
  readDelivery,
  redeliver,
  rotateWebhookSecret,
} as const satisfies Record<string, Endpoint>

export type OperationId = keyof typeof api
