import { toGrafana } from './dashboard.ts'
import { overview } from './overview.ts'
import { pipeline } from './pipeline.ts'
import { runtime } from './runtime.ts'
import { scaling } from './scaling.ts'
import { webhooks } from './webhooks.ts'

export function dashboardFiles(directory: string): Record<string, string> {
  const dashboards = [overview, pipeline, scaling, webhooks, runtime]
  return Object.fromEntries(
    dashboards.map((dashboard) => [
      `${directory}/${dashboard.uid}.json`,
      `${JSON.stringify(toGrafana(dashboard), null, 2)}\n`,
    ]),
  )
}
