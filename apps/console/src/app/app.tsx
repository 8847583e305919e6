import { QueryClientProvider } from '@tanstack/preact-query'
import { Router } from 'wouter-preact'
import { queryClient } from '../api/query-client.ts'
import { basePath } from '../base.ts'
import { session } from '../session/session.ts'
import { Layout } from './layout.tsx'
import { SecretDialogs } from './secret-dialog.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { Toaster } from './toaster.tsx'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={basePath}>
        {session.value === null ? <SignInPage /> : <Layout />}
        <SecretDialogs />
      </Router>
      <Toaster />
    </QueryClientProvider>
  )
}
