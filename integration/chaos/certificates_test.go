//go:build chaos

package chaos

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// certificateRows are the ways in which a TLS server fails to prove its identity.
func certificateRows() []scenario {
	good := func(*x509.Certificate) {}
	return []scenario{
		{name: "Certificate from an unknown issuer", setup: certified(good, true)},
		{name: "Certificate of another host", setup: certified(func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{"other.example"}, nil }, false)},
		{name: "Certificate expired", setup: certified(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }, false)},
		{name: "Certificate not yet valid", setup: certified(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) }, false)},
		{name: "TLS handshake without an answer", after: afterRead, setup: certified(nil, false)},
	}
}

// certified is a TLS server with a bad certificate while it is broken; if shape is nil, it then does not answer the handshake.
func certified(shape func(*x509.Certificate), stranger bool) func(*testing.T) stage {
	return func(t *testing.T) stage {
		trusted := newIssuer(t)
		shown, other := trusted.issue(t, func(*x509.Certificate) {}), tls.Certificate{}
		if issuer := trusted; shape != nil {
			if stranger {
				issuer = newIssuer(t)
			}
			other = issuer.issue(t, shape)
		}
		var broken atomic.Bool
		ended := make(chan struct{})
		t.Cleanup(func() { close(ended) })
		server := quiet(func(w http.ResponseWriter, r *http.Request) {
			if broken.Load() {
				panic(http.ErrAbortHandler) // its connection was made earlier and has not been used for a read
			}
			healthy(w, r)
		})
		server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			certificate := shown
			if broken.Load() {
				if shape == nil {
					<-ended
				}
				certificate = other
			}
			return &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}}, nil
		}}
		server.Config.SetKeepAlivesEnabled(false) // each read needs a handshake
		server.StartTLS()
		t.Cleanup(func() { server.CloseClientConnections(); go server.Close() })

		roots := filepath.Join(t.TempDir(), "roots.pem")
		if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trusted.certificate.Raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		return stage{
			program: start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, quick...), env: []string{"SSL_CERT_FILE=" + roots}}),
			broken:  func() { broken.Store(true); server.CloseClientConnections() }, mended: func() { broken.Store(false) },
		}
	}
}

// An issuer signs certificates.
type issuer struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) issuer {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "chaos"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return issuer{certificate, key}
}

// issue signs a certificate for this machine, modified by shape.
func (i issuer) issue(t *testing.T, shape func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "rs"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(2 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	shape(template)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, i.certificate, key.Public(), i.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}
