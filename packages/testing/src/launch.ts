import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/** Servers of tests: local processes, or with TEST_INFRA=containers, containers of the images in docker-compose.yml. */
export const { launchPostgres, launchNats, launchS3 } =
  hostEnvironment().TEST_INFRA === 'containers'
    ? await import('./containers/launch.ts')
    : {
        ...(await import('@tideport/dev-stack/servers/postgres/launch-postgres')),
        ...(await import('@tideport/dev-stack/servers/launch-nats')),
        ...(await import('@tideport/dev-stack/servers/launch-s3')),
      }
