{{/* Postgres, NATS, the hot bucket, and the identity provider. */}}
{{- define "tideport.faults.servers" -}}
{{- $values := .Values }}
{{- $dev := $values.dev }}
{{- if and (eq $values.config.serviceEnv "development") (not $dev.allowInsecureAuth) }}
config.serviceEnv: development admits requests without credentials. Set dev.allowInsecureAuth to true to allow this, or use production.
{{- end }}
{{- template "tideport.faults.replaced" (dict "dev" $dev.postgres.enabled "name" "postgres" "what" "database" "root" $ "paths" (list "postgres.existingSecret" "postgres.migrationUriKey" "postgres.roles.auth.existingSecret" "postgres.roles.files.existingSecret" "postgres.roles.webhooks.existingSecret" "postgres.admin.existingSecret")) }}
{{- template "tideport.faults.replaced" (dict "dev" $dev.nats.enabled "name" "nats" "what" "NATS server" "root" $ "paths" (list "nats.url" "nats.existingSecret" "nats.urlKey" "nats.credsKey" "nats.monitoring.endpoint" "nats.monitoring.accountSecret")) }}
{{- template "tideport.faults.replaced" (dict "dev" $dev.s3.enabled "name" "s3" "what" "bucket" "root" $ "paths" (list "s3.endpoint" "s3.bucket" "s3.existingSecret")) }}
{{- if not $dev.postgres.enabled }}{{ include "tideport.faults.postgres" . }}{{ end }}
{{- if not $dev.nats.enabled }}{{ include "tideport.faults.nats" . }}{{ end }}
{{- if and (not $dev.s3.enabled) (empty $values.s3.bucket) }}
s3.bucket: the bucket of hot files is missing. Name it, or set dev.s3.enabled to true for an evaluation.
{{- end }}
{{- include "tideport.faults.bucket" (dict "path" "s3.bucket" "bucket" $values.s3.bucket) }}
{{- $identity := $values.identity }}
{{- if and $identity.issuer (not $identity.audience) }}
identity.audience: an issuer needs an audience. Set it to the audience of the provider's tokens.
{{- end }}
{{- range $name := list "audience" "jwksUri" "clientId" "operatorClaim" "deviceFlow" }}
{{- if and (get $identity $name) (not $identity.issuer) }}
identity.{{ $name }}: it has no effect without an identity provider. Set identity.issuer as well.
{{- end }}
{{- end }}
{{- if and $identity.scopes (not (has "openid" $identity.scopes)) }}
identity.scopes: openid is missing, so the identity provider would not return an identity. Add openid.
{{- end }}
{{- end }}

{{/* A server of dev.* that would replace one named by other values. Takes root, dev, name, what, and paths. */}}
{{- define "tideport.faults.replaced" -}}
{{- if .dev }}
{{- range $path := .paths }}
{{- with include "tideport.valueAt" (dict "root" $.root "path" $path) }}
{{ $path }}: dev.{{ $.name }}.enabled would replace this {{ $.what }} with a new, empty one. Remove {{ $path }}, or set dev.{{ $.name }}.enabled to false.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The text at a path of the values. Takes root and path. */}}
{{- define "tideport.valueAt" -}}
{{- $value := .root.Values }}
{{- range splitList "." .path }}{{ $value = get $value . }}{{ end }}
{{- $value }}
{{- end }}

{{- define "tideport.faults.postgres" -}}
{{- $postgres := .Values.postgres }}
{{- $roles := $postgres.roles }}
{{- $isShared := $postgres.existingSecret }}
{{- $ownRoles := or $roles.auth.existingSecret $roles.files.existingSecret $roles.webhooks.existingSecret }}
{{- if and (not $isShared) (not $ownRoles) }}
postgres.existingSecret: the Secret with the Postgres URL is missing. Name it, or set dev.postgres.enabled to true for an evaluation.
{{- end }}
{{- range $owner := list "auth" "files" "webhooks" }}
{{- $role := get $roles $owner }}
{{- if and $ownRoles (not $isShared) (not $role.existingSecret) }}
postgres.roles.{{ $owner }}.existingSecret: other roles have a Secret, but this one does not. Name its Secret, or set postgres.existingSecret.
{{- end }}
{{- if and (eq $postgres.pooler "transaction") (ne $.Values.migrations.mode "external") }}
{{- $direct := default $postgres.migrationUriKey $role.migrationUriKey }}
{{- $key := default $postgres.uriKey $role.uriKey }}
{{- $path := ternary (printf "postgres.roles.%s.migrationUriKey" $owner) "postgres.migrationUriKey" (not (empty $role.existingSecret)) }}
{{- if not $direct }}
{{ $path }}: migrations cannot use a pooler in transaction mode. Set it to the key of the Secret that holds a direct Postgres URL.
{{- else if eq $direct $key }}
{{ $path }}: postgres.uriKey is {{ $key }} as well, but migrations cannot use a pooler in transaction mode. Set it to the key of the Secret that holds a direct Postgres URL.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tideport.faults.nats" -}}
{{- $nats := .Values.nats }}
{{- if and (not $nats.url) (not $nats.urlKey) }}
nats.url: the NATS servers are missing. Set nats.url, or nats.urlKey to a key of nats.existingSecret, or dev.nats.enabled to true for an evaluation.
{{- end }}
{{- $lacking := list }}
{{- range $name, $secret := $nats.secrets }}{{ if not $secret }}{{ $lacking = append $lacking (printf "nats.secrets.%s" $name) }}{{ end }}{{ end }}
{{- if and (or $nats.urlKey $nats.credsKey) (not $nats.existingSecret) $lacking }}
nats.existingSecret: {{ ternary "nats.credsKey" "nats.urlKey" (empty $nats.urlKey) }} is the key of a Secret that is not named. Set nats.existingSecret, or {{ join ", " $lacking }}.
{{- end }}
{{- if and $nats.existingSecret (not $nats.urlKey) (not $nats.credsKey) }}
nats.existingSecret: no value refers to a key of this Secret. Set nats.urlKey or nats.credsKey to one of its keys.
{{- end }}
{{- end }}

{{/* Rules of bucket names that a pattern cannot express. Takes path and bucket. */}}
{{- define "tideport.faults.bucket" -}}
{{- $bucket := .bucket | default "" }}
{{- if regexMatch "[.][.]|[.]-|-[.]" $bucket }}
{{ .path }}: {{ $bucket | quote }} has a '.' next to a '.' or a '-', which S3 rejects. Choose another bucket.
{{- else if regexMatch "^[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+$" $bucket }}
{{ .path }}: {{ $bucket | quote }} looks like an IP address, which S3 rejects. Choose another bucket.
{{- else if regexMatch "^(xn--|sthree-|amzn-s3-demo-)|(-s3alias|--ol-s3|[.]mrap|--x-s3|--table-s3)$" $bucket }}
{{ .path }}: {{ $bucket | quote }} has a prefix or a suffix that S3 reserves. Choose another bucket.
{{- end }}
{{- end }}
