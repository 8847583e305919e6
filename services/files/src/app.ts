import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { bucketRules } from '@tideport/file-lifecycle/many/bucket/export-buckets'
import { observeJobs } from '@tideport/file-lifecycle/many/job-metrics'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Writes } from '@tideport/file-lifecycle/state/writes'
import type { ShownStatistics } from '@tideport/file-lifecycle/statistics/show-statistics'
import type { JobQueue } from '@tideport/file-lifecycle/work/job-queue'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { createHttpServer, type HttpServerOptions } from '@tideport/service-kit/http/http-server'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import { createByteShare } from '@tideport/service-kit/process/byte-share'
import type { Kysely } from 'kysely'
import { confine } from './calls/confine.ts'
import { createSlowCalls } from './calls/slow-calls.ts'
import { createTakeBytes } from './calls/take-bytes.ts'
import type { FilesConfig } from './config.ts'
import { capStreams } from './downloads/cap-streams.ts'
import { createAnnounce } from './files/announce-work.ts'
import { createPurgeNow } from './files/purge-now.ts'
import { createDownloadCounter } from './links/count-downloads.ts'
import { createPasswords } from './links/password.ts'
import { createPasswordTries } from './links/password-tries.ts'
import { createBeginJobs } from './many/begin-jobs.ts'
import { cancelJobRoute } from './routes/cancel-job.ts'
import { cancelRunRoute } from './routes/cancel-run.ts'
import { copyFilesRoute } from './routes/copy-files.ts'
import { createDownloadUrlsRoute } from './routes/create-download-urls.ts'
import { createFileLinkRoute, createFolderLinkRoute } from './routes/create-link.ts'
import { createVaultRoute } from './routes/create-vault.ts'
import { deleteFileRoute } from './routes/delete-file.ts'
import { deleteFilesRoute } from './routes/delete-files.ts'
import { deleteVaultRoute } from './routes/delete-vault.ts'
import { downloadFileRoute } from './routes/download-file.ts'
import { emptyTrashRoute } from './routes/empty-trash.ts'
import { exportAccountRoute } from './routes/export-account.ts'
import { forgetFolderRoute } from './routes/forget-folder.ts'
import { keepFolderRoute } from './routes/keep-folder.ts'
import { linkContentRoute, linkedContentRoute } from './routes/link-content.ts'
import { linkPageRoute } from './routes/link-page.ts'
import { listDeadLettersRoute } from './routes/list-dead-letters.ts'
import { listFileEventsRoute } from './routes/list-file-events.ts'
import { listFilesRoute } from './routes/list-files.ts'
import { listJobsRoute } from './routes/list-jobs.ts'
import { listFileLinksRoute, listFolderLinksRoute, listLinksRoute } from './routes/list-links.ts'
import { listOperatorEventsRoute } from './routes/list-operator-events.ts'
import { listRunsRoute } from './routes/list-runs.ts'
import { listTrashRoute } from './routes/list-trash.ts'
import { listVaultsRoute } from './routes/list-vaults.ts'
import { moveFilesRoute } from './routes/move-files.ts'
import { publicBlobRoute } from './routes/public-blob.ts'
import { publicContentRoute } from './routes/public-content.ts'
import { publicFileRoute } from './routes/public-file.ts'
import { publicVaultRoute } from './routes/public-vault.ts'
import { publishFilesRoute } from './routes/publish-files.ts'
import { readAccountRoute } from './routes/read-account.ts'
import { readArchiveRoute } from './routes/read-archive.ts'
import { readContentRoute } from './routes/read-content.ts'
import { readCopiesRoute } from './routes/read-copies.ts'
import { readFileRoute } from './routes/read-file.ts'
import { readJobRoute } from './routes/read-job.ts'
import { readLinkRoute } from './routes/read-link.ts'
import { readManifestRoute } from './routes/read-manifest.ts'
import { readOperatorNetworksRoute } from './routes/read-operator-networks.ts'
import { readOperatorOverviewRoute } from './routes/read-operator-overview.ts'
import { readRunRoute } from './routes/read-run.ts'
import { readTimelineRoute } from './routes/read-timeline.ts'
import { readUploadCostRoute } from './routes/read-upload-cost.ts'
import { readUsageRoute, readVaultUsageRoute } from './routes/read-usage.ts'
import { readVaultRoute } from './routes/read-vault.ts'
import { redriveDeadLettersRoute } from './routes/redrive-dead-letters.ts'
import { rehydrateFileRoute } from './routes/rehydrate-file.ts'
import { restoreFileRoute } from './routes/restore-file.ts'
import { restoreFilesRoute } from './routes/restore-files.ts'
import { restoreVaultRoute } from './routes/restore-vault.ts'
import { retryFileRoute } from './routes/retry-file.ts'
import { revokeLinkRoute } from './routes/revoke-link.ts'
import { signedDownloadRoute } from './routes/signed-download.ts'
import { startRunRoute } from './routes/start-run.ts'
import { trashFilesRoute } from './routes/trash-files.ts'
import { unlockLinkRoute } from './routes/unlock-link.ts'
import { updateFileRoute } from './routes/update-file.ts'
import { updateVaultRoute } from './routes/update-vault.ts'
import { uploadRoutes } from './uploads/upload-routes.ts'
import { createAccountOpener } from './vaults/default-vault.ts'

export interface AppDeps extends Omit<HttpServerOptions, 'routes'> {
  config: FilesConfig
  db: Kysely<FilesDb>
  batching: Batching
  writes: Writes
  hotTier: HotTier
  networks: Networks
  jobs: JobQueue
  relay: Pick<Relay, 'wake'>
  statistics: Pick<ShownStatistics, 'find'>
}

/** The files service's API: vaults, uploads and downloads of their owners, and what anyone may read. */
export function createApp(deps: AppDeps) {
  const { config, db, batching, writes, hotTier, networks, jobs, relay, statistics, ...server } = deps
  const { log, metrics, signal } = server
  const openAccount = createAccountOpener(db)
  const purgeNow = createPurgeNow({
    eventsMaxAgeSeconds: config.eventsMaxAgeSeconds,
    auditRetentionSeconds: config.auditRetentionSeconds,
    db,
    hotTier,
    networks,
    log,
    signal,
  })
  const slowCalls = createSlowCalls({
    perAccount: config.slowCallsPerAccountMax,
    runningMax: Math.ceil(config.databasePoolSize / 2),
  })
  const takeBytes = createTakeBytes(db, batching)
  observeJobs(db, metrics)
  const beginJobs = createBeginJobs({ ...config, db, hotTier, networks, relay, log, signal })
  const many = { db, networks, slowCalls, relay, beginJobs, config }
  const announce = createAnnounce({ jobs, relay, log })
  const uploads = { db, batching, writes, hotTier, networks, slowCalls, purgeNow, takeBytes, announce, log, metrics }
  const bytes = { db, log, hotTier, ...capStreams({ hotTier, networks, log, metrics, config }) }
  const lists = { maxBytes: config.archiveMemoryBytes, perHolderBytes: config.archiveMemoryBytes / 2 }
  const archives = createByteShare({ ...lists, refusal: 'Too many archives are under way' })
  const passwords = createPasswords()
  const downloads = createDownloadCounter(db, batching)
  const routes = routesOf<'files'>({
    readAccount: readAccountRoute({ db, openAccount, networks, config }),
    readUsage: readUsageRoute({ db }),
    listFileEvents: listFileEventsRoute({ db }),
    readManifest: readManifestRoute({ db, networks, openAccount, log }),
    exportAccount: exportAccountRoute({ ...many, openAccount, bucketRules: bucketRules(config) }),
    createVault: createVaultRoute({ db, openAccount, relay }),
    listVaults: listVaultsRoute({ db, openAccount }),
    readVault: readVaultRoute({ db }),
    readVaultUsage: readVaultUsageRoute({ db }),
    updateVault: updateVaultRoute({ db }),
    deleteVault: deleteVaultRoute({ db, relay, config }),
    restoreVault: restoreVaultRoute({ db, relay }),
    readContent: readContentRoute({ ...bytes, takeBytes, config }),
    ...uploadRoutes({ ...uploads, config }),
    keepFolder: keepFolderRoute({ db }),
    forgetFolder: forgetFolderRoute({ db }),
    readUploadCost: readUploadCostRoute({ db, networks, config }),
    listFiles: listFilesRoute({ db, networks, slowCalls }),
    readFile: readFileRoute({ db, networks }),
    updateFile: updateFileRoute({ db, networks, relay, config }),
    retryFile: retryFileRoute({ db, hotTier, networks, config, announce }),
    rehydrateFile: rehydrateFileRoute({ db, networks, announce }),
    readCopies: readCopiesRoute({ db, networks }),
    readTimeline: readTimelineRoute({ db }),
    downloadFile: downloadFileRoute({ db, hotTier, takeBytes, config }),
    signedDownload: signedDownloadRoute({ ...bytes, config }),
    deleteFile: deleteFileRoute({ db, hotTier, networks, purgeNow, relay, config }),
    restoreFile: restoreFileRoute({ db, networks, relay, config }),
    listTrash: listTrashRoute({ db, networks }),
    emptyTrash: emptyTrashRoute({ db, slowCalls, relay, networks, config }),
    moveFiles: moveFilesRoute(many),
    copyFiles: copyFilesRoute({ ...many, takeBytes, config }),
    trashFiles: trashFilesRoute(many),
    restoreFiles: restoreFilesRoute(many),
    publishFiles: publishFilesRoute(many),
    deleteFiles: deleteFilesRoute(many),
    createDownloadUrls: createDownloadUrlsRoute({ db, hotTier, takeBytes, config }),
    readArchive: readArchiveRoute({ ...bytes, takeBytes, slowCalls, share: archives, config }),
    listJobs: listJobsRoute({ db }),
    readJob: readJobRoute({ db }),
    cancelJob: cancelJobRoute({ db, config }),
    publicFileBytes: publicFileRoute({ ...bytes, config }),
    publicBlobBytes: publicBlobRoute({ ...bytes, config }),
    publicVault: publicVaultRoute({ db, networks }),
    publicContent: publicContentRoute({ ...bytes, config }),
    createFileLink: createFileLinkRoute({ db, passwords, config }),
    listFileLinks: listFileLinksRoute({ db }),
    createFolderLink: createFolderLinkRoute({ db, passwords, config }),
    listFolderLinks: listFolderLinksRoute({ db }),
    listLinks: listLinksRoute({ db }),
    readLink: readLinkRoute({ db }),
    revokeLink: revokeLinkRoute({ db }),
    linkPage: linkPageRoute({ db, config }),
    unlockLink: unlockLinkRoute({ db, config, metrics, passwords, tries: createPasswordTries(db) }),
    linkContent: linkContentRoute({ ...bytes, downloads, config }),
    linkedContent: linkedContentRoute({ ...bytes, downloads, config }),
    readOperatorOverview: readOperatorOverviewRoute({ statistics }),
    readOperatorNetworks: readOperatorNetworksRoute({ db, networks, hotTier, statistics, signal }),
    listDeadLetters: listDeadLettersRoute({ db, networks }),
    redriveDeadLetters: redriveDeadLettersRoute({ db, hotTier, networks, relay, config }),
    listOperatorEvents: listOperatorEventsRoute({ db }),
    startRun: startRunRoute({ db, networks }),
    listRuns: listRunsRoute({ db }),
    readRun: readRunRoute({ db }),
    cancelRun: cancelRunRoute({ db }),
  })
  const confined = routes.map((route) => confine(db, route))
  return createHttpServer({ ...server, streamStallSeconds: config.streamStallSeconds, routes: confined })
}
