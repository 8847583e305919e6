import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/** Without NODE_ENV and similar variables of the test runner, which would change what is tested. */
export const nodeEnvironment = (): Record<string, string> => bareEnvironment(hostEnvironment())
