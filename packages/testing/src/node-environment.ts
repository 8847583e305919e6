import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/** The environment without NODE_ENV and similar variables of the test runner, which would change tested behavior. */
export const nodeEnvironment = (): Record<string, string> => bareEnvironment(hostEnvironment())
