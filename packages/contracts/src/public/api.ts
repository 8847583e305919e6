import type { Endpoint } from '../endpoint/endpoint.ts'
import { readAccount } from './account.ts'
import { listAccountEvents, listFileEvents } from './account-events.ts'
import { createApiKey, listApiKeys, readApiKey, revokeApiKey, rotateApiKey } from './api-keys.ts'
import { readArchive } from './archive.ts'
import { postContent, putContent, readContent } from './content.ts'
import { downloadFile, signedDownload } from './downloads.ts'
import { exportAccount } from './export.ts'
import { readCopies, readTimeline, rehydrateFile, retryFile, updateFile } from './file-actions.ts'
import { confirmUpload, listFiles, readFile, requestUpload } from './files.ts'
import { forgetFolder, keepFolder } from './folders.ts'
import { cancelJob, listJobs, readJob } from './jobs.ts'
import { linkContent, linkedContent, linkPage, postLinkContent, putLinkedContent, unlockLink } from './link-access.ts'
import {
  createFileLink,
  createFolderLink,
  listFileLinks,
  listFolderLinks,
  listLinks,
  readLink,
  revokeLink,
} from './links.ts'
import { readManifest } from './manifest.ts'
import {
  copyFiles,
  createDownloadUrls,
  deleteFiles,
  moveFiles,
  publishFiles,
  restoreFiles,
  trashFiles,
} from './many-files.ts'
import { listDeadLetters, redriveDeadLetters } from './operator-dead-letters.ts'
import { listOperatorEvents } from './operator-events.ts'
import { readOperatorNetworks, readOperatorOverview } from './operator-overview.ts'
import { readOperatorRelease } from './operator-release.ts'
import { cancelRun, listRuns, readRun, startRun } from './operator-runs.ts'
import { listDeadDeliveries, listOperatorWebhookEvents, redriveDeliveries } from './operator-webhooks.ts'
import {
  addPasskey,
  beginPasskey,
  deletePasskey,
  listPasskeys,
  renamePasskey,
  replaceRecoveryCode,
} from './passkeys.ts'
import { publicBlobBytes, publicContent, publicFileBytes, publicVault } from './public-access.ts'
import { beginSetUp, completeSetUp } from './set-up.ts'
import { beginPasskeySignIn, readSignIn, signInWithPasskey, signInWithRecoveryCode } from './sign-in.ts'
import { deleteFile, emptyTrash, listTrash, restoreFile } from './trash.ts'
import { readUploadCost } from './upload-cost.ts'
import { listUploadedParts, renewUploadUrls } from './uploads.ts'
import { readUsage, readVaultUsage } from './usage.ts'
import { createVault, deleteVault, listVaults, readVault, restoreVault, updateVault } from './vaults.ts'
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  readDelivery,
  readWebhook,
  readWebhookFeed,
  redeliver,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

export const api = {
  readSignIn,
  beginPasskeySignIn,
  signInWithPasskey,
  signInWithRecoveryCode,
  beginSetUp,
  completeSetUp,
  listPasskeys,
  beginPasskey,
  addPasskey,
  renamePasskey,
  deletePasskey,
  replaceRecoveryCode,
  readAccount,
  readUsage,
  listAccountEvents,
  listFileEvents,
  readManifest,
  exportAccount,
  createVault,
  listVaults,
  readVault,
  updateVault,
  deleteVault,
  restoreVault,
  readVaultUsage,
  putContent,
  postContent,
  readContent,
  keepFolder,
  forgetFolder,
  requestUpload,
  readUploadCost,
  renewUploadUrls,
  listUploadedParts,
  confirmUpload,
  listFiles,
  readFile,
  updateFile,
  retryFile,
  rehydrateFile,
  readCopies,
  readTimeline,
  downloadFile,
  signedDownload,
  deleteFile,
  restoreFile,
  listTrash,
  emptyTrash,
  moveFiles,
  copyFiles,
  trashFiles,
  restoreFiles,
  publishFiles,
  deleteFiles,
  createDownloadUrls,
  readArchive,
  listJobs,
  readJob,
  cancelJob,
  publicFileBytes,
  publicBlobBytes,
  publicVault,
  publicContent,
  createFileLink,
  listFileLinks,
  createFolderLink,
  listFolderLinks,
  listLinks,
  readLink,
  revokeLink,
  linkPage,
  unlockLink,
  linkContent,
  linkedContent,
  putLinkedContent,
  postLinkContent,
  createApiKey,
  listApiKeys,
  readApiKey,
  revokeApiKey,
  rotateApiKey,
  createWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  listDeliveries,
  readWebhookFeed,
  readDelivery,
  redeliver,
  rotateWebhookSecret,
  readOperatorOverview,
  readOperatorNetworks,
  readOperatorRelease,
  listDeadLetters,
  redriveDeadLetters,
  listOperatorEvents,
  startRun,
  listRuns,
  readRun,
  cancelRun,
  listDeadDeliveries,
  redriveDeliveries,
  listOperatorWebhookEvents,
} as const satisfies Record<string, Endpoint>

export type OperationId = keyof typeof api
