# The command bench, statically linked, run by an ordinary user in /work:
#
#	docker build -t dgsbench --build-arg COMMIT=$(git describe --always --abbrev=40 --dirty=+dirty --exclude='*') .
#	docker run --rm -v "$PWD:/work" dgsbench all --suite smoke
#
# See docs/install.md.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG COMMIT=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X dgsbench/harness.commit=$COMMIT" -o /image/bin/bench ./cmd/bench
RUN mkdir -p /image/etc/ssl/certs && mkdir -m 1777 /image/tmp /image/work
RUN cp LICENSE /image/ && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/

FROM scratch
COPY --from=build /image /
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/bin/bench"]
