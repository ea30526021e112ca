{{- define "pharos.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "pharos.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pharos.labels" -}}
{{ include "pharos.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The service of the pages must not select these pods. */}}
{{- define "pharos.discoveryLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}-discovery
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "pharos.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "pharos.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The pod of the StatefulSet and of the Deployment. */}}
{{- define "pharos.pod" -}}
metadata:
  labels:
    {{- include "pharos.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # A service named pharos would set PHAROS_PORT=tcp://…
  enableServiceLinks: false
  automountServiceAccountToken: false
  # The node serves for 15 s after SIGTERM, and then finishes its work within 25 s.
  terminationGracePeriodSeconds: 75
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 0
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
    {{- if .Values.ping }}
    sysctls:
      - name: net.ipv4.ping_group_range
        value: "0 2147483647"
    {{- end }}
  {{- if .Values.existingSecret }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "pharos.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: pharos
      image: {{ include "pharos.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        {{- include "pharos.containerSecurity" . | nindent 8 }}
      ports:
        - name: http
          containerPort: 3000
        {{- if .Values.metrics.enabled }}
        - name: metrics
          containerPort: {{ .Values.metrics.port }}
        {{- end }}
      env:
        - name: PHAROS_BASE_URL
          value: {{ .Values.baseUrl | quote }}
        {{- if .Values.trustProxy }}
        - name: PHAROS_TRUST_PROXY
          value: {{ .Values.trustProxy | quote }}
        {{- end }}
        {{- if .Values.existingSecret }}
        - name: PHAROS_DRAIN_SECONDS
          value: "15"
        - name: DATABASE_URL_FILE
          value: /run/secrets/pharos/database-url
        - name: PHAROS_SECRET_KEY_FILE
          value: /run/secrets/pharos/secret-key
        {{- end }}
        {{- if .Values.metrics.enabled }}
        - name: PHAROS_METRICS_LISTEN
          value: {{ printf "0.0.0.0:%v" .Values.metrics.port | quote }}
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - name: {{ $name }}
          {{- /* Values are floats: toString would write 1000000 as 1e+06. */}}
          value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
        {{- end }}
      {{- with .Values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      # The first start of a version may migrate the database.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 300
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- if .Values.existingSecret }}
        - name: secrets
          mountPath: /run/secrets/pharos
          readOnly: true
        {{- end }}
        {{- range .Values.extraVolumeMounts }}
        - {{ toJson . }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if .Values.existingSecret }}
    - name: data
      emptyDir: {}
    - name: secrets
      secret:
        secretName: {{ .Values.existingSecret }}
        defaultMode: 0440
    {{- end }}
    {{- range .Values.extraVolumes }}
    - {{ toJson . }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
