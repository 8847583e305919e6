import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/** The servers of tests: processes of this machine, or with TEST_INFRA=containers the images of docker-compose.yml. */
export const { launchPostgres, launchNats, launchS3 } =
  hostEnvironment().TEST_INFRA === 'containers'
    ? await import('./containers/launch.ts')
    : {
        ...(await import('@tideport/dev-stack/servers/postgres/launch-postgres')),
        ...(await import('@tideport/dev-stack/servers/launch-nats')),
        ...(await import('@tideport/dev-stack/servers/launch-s3')),
      }
