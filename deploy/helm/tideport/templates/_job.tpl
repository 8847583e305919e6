{{/*
A Job, or a hook with the same. Takes root, name, hook (a weight, or nothing), needs, steps (containers as YAML; all but the
last one run before it, in order) and limits (backoffLimit, activeDeadlineSeconds).
A hook uses nothing of this release, which does not exist yet: secrets of others and the namespace's ServiceAccount.
A Job cannot be changed, so one that is no hook has the checksum of its content in its name: it runs again when that changes.
*/}}
{{- define "tideport.job" -}}
{{- $root := .root }}
{{- $isHook := not (kindIs "invalid" .hook) }}
{{- $spec := include "tideport.jobSpec" (merge (dict "isHook" $isHook) .) }}
{{- $labels := dict "root" $root "name" .name }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "tideport.fullname" $root }}-{{ .name }}{{ if not $isHook }}-{{ sha256sum $spec | trunc 8 }}{{ end }}
  labels:
    {{- include "tideport.labels" $labels | nindent 4 }}
  {{- if $isHook }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: {{ .hook | quote }}
    # What failed stays, for its log.
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
  {{- end }}
spec:
  {{- $spec | nindent 2 }}
{{- end }}

{{- define "tideport.jobSpec" -}}
{{- $root := .root }}
{{- $steps := .steps | fromYamlArray }}
backoffLimit: {{ .limits.backoffLimit }}
activeDeadlineSeconds: {{ .limits.activeDeadlineSeconds }}
template:
  metadata:
    labels:
      {{- include "tideport.selectorLabels" (dict "root" $root "name" .name) | nindent 6 }}
      {{- if has "volume" .needs }}
      tideport/network-volume: {{ $root.Release.Name }}
      {{- end }}
  spec:
    # Pods that failed stay, for their logs; every step can be repeated.
    restartPolicy: Never
    {{- if .isHook }}
    {{- with $root.Values.serviceAccount }}
    serviceAccountName: {{ ternary "default" .name (or .create (empty .name)) }}
    {{- end }}
    {{- else }}
    serviceAccountName: {{ include "tideport.serviceAccountName" $root }}
    {{- end }}
    {{- include "tideport.podBase" (dict "root" $root "pod" $root.Values.defaults) | nindent 4 }}
    {{- if and (has "volume" .needs) (include "tideport.onOneNode" $root) }}
    {{- include "tideport.oneNode" $root | nindent 4 }}
    {{- end }}
    {{- with initial $steps }}
    initContainers:
      {{- range . }}
      - {{ toYaml . | nindent 8 | trim }}
      {{- end }}
    {{- end }}
    containers:
      - {{ last $steps | toYaml | nindent 8 | trim }}
    volumes:
      {{- include "tideport.volumes" (dict "root" $root "needs" .needs) | nindent 6 }}
{{- end }}

{{/* One container of a Job, as an item of a list. Takes root, name, args, env (YAML) and needs. */}}
{{- define "tideport.step" -}}
{{- $defaults := .root.Values.defaults }}
- name: {{ .name }}
  image: {{ include "tideport.image" (dict "root" .root "image" $defaults.image) }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args: {{ toJson .args }}
  env:
    - {name: LOG_LEVEL, value: {{ .root.Values.config.logLevel }}}
    - {name: SERVICE_ENV, value: {{ .root.Values.config.serviceEnv }}}
    {{- with include "tideport.env.tls" .root | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .env | trim }}
    {{- . | nindent 4 }}
    {{- end }}
  resources:
    {{- toYaml $defaults.resources | nindent 4 }}
  securityContext:
    {{- toYaml $defaults.securityContext | nindent 4 }}
  volumeMounts:
    {{- include "tideport.volumeMounts" (dict "root" .root "needs" .needs) | nindent 4 }}
{{- end }}
