import { createHttpServer } from '@tideport/service-kit/http/http-server'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import { accountRoutes } from './account/routes.ts'
import { archiveRoutes } from './archive/routes.ts'
import { bucketRoutes } from './buckets/routes.ts'
import { enforceKeyLimits } from './calls/enforce-key-limits.ts'
import { type AppDeps, shareDeps } from './deps.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { exportRoutes } from './export/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { linkRoutes } from './links/routes.ts'
import { objectRoutes } from './objects/routes.ts'
import { objectUploadRoutes } from './objects/uploads/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { publicRoutes } from './public/routes.ts'
import { trashRoutes } from './trash/routes.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { vaultRoutes } from './vaults/routes.ts'

export function createApp(app: AppDeps) {
  const deps = shareDeps(app)
  const routes = routesOf<'files'>({
    ...accountRoutes(deps),
    ...vaultRoutes(deps),
    ...uploadRoutes(deps),
    ...fileRoutes(deps),
    ...trashRoutes(deps),
    ...downloadRoutes(deps),
    ...archiveRoutes(deps),
    ...publicRoutes(deps),
    ...linkRoutes(deps),
    ...jobRoutes(deps),
    ...exportRoutes(deps),
    ...bucketRoutes(deps),
    ...objectRoutes(deps),
    ...objectUploadRoutes(deps),
    ...operatorRoutes(deps),
  })
  const confined = routes.map((route) => enforceKeyLimits(app.db, route))
  return createHttpServer({ ...app, streamStallSeconds: app.config.streamStallSeconds, routes: confined })
}
