{{/*
A Job, or a hook with the same. Takes root, name, hook (a weight, or nothing), needs, steps (containers as YAML; all but the
last one run before it, in order) and limits (backoffLimit, activeDeadlineSeconds).
A hook uses nothing of this release, which does not exist yet: secrets of others and the namespace's ServiceAccount.
A Job cannot be changed, so one that is no hook has the checksum of its content in its name: it runs again when that changes.
*/}}
{{- define "tideport.job" -}}
{{- $root := .root }}
{{- $isHook := not (kindIs "invalid" .hook) }}
{{- $values := include "tideport.component" (dict "root" $root "name" "jobs") | fromYaml }}
{{- $spec := include "tideport.jobSpec" (merge (dict "isHook" $isHook "values" $values) .) }}
{{- $labels := dict "root" $root "name" .name }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "tideport.fullname" $root }}-{{ .name }}{{ if not $isHook }}-{{ sha256sum $spec | trunc 8 }}{{ end }}
  labels:
    {{- include "tideport.labels" $labels | nindent 4 }}
  {{- if or $isHook $values.annotations }}
  annotations:
    {{- if $isHook }}
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: {{ .hook | quote }}
    # What failed stays, for its log.
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
    {{- end }}
    {{- with $values.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
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
      {{- with .values.podLabels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- with .values.podAnnotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
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
    {{- include "tideport.podBase" (dict "root" $root "pod" .values) | nindent 4 }}
    {{- include "tideport.affinity" . | nindent 4 }}
    {{- with concat (default list .values.extraInitContainers) (initial $steps) }}
    initContainers:
      {{- range . }}
      - {{ toYaml . | nindent 8 | trim }}
      {{- end }}
    {{- end }}
    containers:
      - {{ last $steps | toYaml | nindent 8 | trim }}
    volumes:
      {{- include "tideport.volumes" (dict "root" $root "name" .name "needs" .needs) | nindent 6 }}
      {{- with .values.extraVolumes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}

{{/* One container of a Job, as an item of a list. Takes root, name, args, env (YAML) and needs. */}}
{{- define "tideport.step" -}}
{{- $values := include "tideport.component" (dict "root" .root "name" "jobs") | fromYaml }}
{{- $config := .root.Values.config }}
{{- $env := printf "- {name: LOG_LEVEL, value: %s}\n- {name: SERVICE_ENV, value: %s}\n%s\n%s" $config.logLevel $config.serviceEnv (include "tideport.env.tls" .root) .env }}
- name: {{ .name }}
  args: {{ toJson .args }}
  {{- include "tideport.container" (merge (dict "values" $values "env" $env) .) | nindent 2 }}
{{- end }}

{{/* What containers beside the services have, all but name and args. Takes root, values (merged), env (YAML) and needs. */}}
{{- define "tideport.container" -}}
image: {{ include "tideport.image" (dict "root" .root "image" .values.image) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  {{- include "tideport.overlaid" (dict "env" (.env | fromYamlArray) "over" (default list .values.extraEnv)) | nindent 2 }}
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
securityContext:
  {{- toYaml .values.securityContext | nindent 2 }}
volumeMounts:
  {{- include "tideport.volumeMounts" (dict "root" .root "needs" .needs) | nindent 2 }}
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
